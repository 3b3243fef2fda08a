import { pointerSteps } from '../../../../../proto/config/text/json-pointer.ts';

/** The path of a JSON pointer in a value; undefined if the pointer leads into a scalar. */
export function pathOfPointer(root: unknown, pointer: string): (string | number)[] | undefined {
  const path: (string | number)[] = [];
  let value = root;
  for (const step of pointerSteps(pointer) ?? []) {
    if (typeof value !== 'object' || value === null) return undefined;
    path.push(Array.isArray(value) ? Number(step) : step);
    value = (value as Readonly<Record<string, unknown>>)[step];
  }
  return path;
}
