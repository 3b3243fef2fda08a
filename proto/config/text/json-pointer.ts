/** JSON pointers (RFC 6901), `/components/0/attributes/max_rpm`. The whole document is ''. */

/** `pointer` with one more step, escaped. */
export function joinPointer(pointer: string, step: string | number): string {
  if (typeof step === 'number' || !/[~/]/.test(step)) return `${pointer}/${step}`;
  return `${pointer}/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** The steps of a pointer, unescaped; undefined where the text is not a pointer. */
export function pointerSteps(pointer: string): readonly string[] | undefined {
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) return undefined;
  return pointer
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The value that a pointer means; undefined where it leads nowhere. */
export function valueAt(root: unknown, pointer: string): unknown {
  let value = root;
  for (const step of pointerSteps(pointer) ?? []) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[step];
  }
  return value;
}
