/** One value inside of a reading, by the keys and positions that lead to it. */
export interface Field {
  readonly path: readonly string[];
  /** Whether it was a number or true or false in some reading: it can be drawn. */
  readonly isNumeric: boolean;
}

/** Fields of one source, at most: readings with more are read as JSON. */
export const mostFields = 1_000;

/** A value at the end of a path: a number, a text, true, false, null, or something empty. */
export interface Leaf {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** The values of a reading, those inside of objects and lists too, in the order of the reading. */
export function leavesOf(value: unknown, path: readonly string[] = []): Leaf[] {
  if (typeof value !== 'object' || value === null) return [{ path, value }];
  const entries = Object.entries(value);
  if (entries.length === 0) return path.length === 0 ? [] : [{ path, value }];
  return entries.flatMap(([key, inner]) => leavesOf(inner, [...path, key]));
}

/** A path as one text, for maps and addresses: a JSON pointer (RFC 6901). */
export function fieldPointer(path: readonly string[]): string {
  return path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The path of a pointer; undefined for a text that is none. */
export function fieldPath(pointer: string): readonly string[] | undefined {
  if (!pointer.startsWith('/')) return undefined;
  return pointer
    .slice(1)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** A path for people: `readings.temperature`, `readings["a.b"]`. Two paths never have the same name. */
export function fieldName(path: readonly string[]): string {
  return path.map((key, index) => nameOf(key, index === 0)).join('');
}

function nameOf(key: string, isFirst: boolean): string {
  if (key === '' || /[."[\]]/.test(key)) return `[${JSON.stringify(key)}]`;
  return isFirst ? key : `.${key}`;
}

/** The path that a name for people means, as somebody may type it too; undefined where it is none. */
export function pathOfName(name: string): readonly string[] | undefined {
  const step = /\[("(?:[^"\\]|\\.)*")\]|(\.?)([^.[\]"]+)/y;
  const path: string[] = [];
  while (step.lastIndex < name.length) {
    const [all, quoted, dot, plain] = step.exec(name) ?? [];
    // A dot stands between two keys, and nowhere else.
    if (all === undefined || (plain !== undefined && (dot === '') !== (path.length === 0))) return undefined;
    const key: unknown = quoted === undefined ? plain : readText(quoted);
    if (typeof key !== 'string') return undefined;
    path.push(key);
  }
  return path;
}

function readText(quoted: string): unknown {
  try {
    return JSON.parse(quoted);
  } catch {
    return undefined;
  }
}

/** What every field of a source is inside of, such as `readings`: it tells none from another. */
export function commonPrefix(fields: readonly Pick<Field, 'path'>[]): readonly string[] {
  const [first, ...rest] = fields;
  if (first === undefined) return [];
  let length = first.path.length - 1;
  for (const { path } of rest) {
    length = Math.min(length, path.length - 1);
    while (!path.slice(0, length).every((key, index) => key === first.path[index])) length -= 1;
  }
  // One key is what the capture itself puts around; more would take the meaning of a lone field away.
  return first.path.slice(0, Math.min(Math.max(length, 0), 1));
}

/** Fields by their pointers, as they are found in more and more readings. */
export class FieldSet {
  readonly #fields = new Map<string, Field>();

  get all(): readonly Field[] {
    return [...this.#fields.values()];
  }

  has(path: readonly string[]): boolean {
    return this.#fields.has(fieldPointer(path));
  }

  /** Takes in the fields of a reading. @returns whether any is new, or can be drawn since */
  add(payload: unknown): boolean {
    let isNew = false;
    for (const { path, value } of leavesOf(payload)) {
      const pointer = fieldPointer(path);
      const known = this.#fields.get(pointer);
      const isNumeric = typeof value === 'number' || typeof value === 'boolean';
      if (known === undefined ? this.#fields.size >= mostFields : known.isNumeric || !isNumeric) continue;
      this.#fields.set(pointer, { path, isNumeric });
      isNew = true;
    }
    return isNew;
  }

  /** Sorted by their names, numbers by their size: what comes has no order of its own. */
  sorted(): readonly Field[] {
    const named = this.all.map((field) => ({ field, name: fieldName(field.path) }));
    named.sort((left, right) => left.name.localeCompare(right.name, 'en', { numeric: true }));
    return named.map(({ field }) => field);
  }
}

/** The value at a path; undefined where there is none. */
export function valueAt(payload: unknown, path: readonly string[]): unknown {
  let value = payload;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}
