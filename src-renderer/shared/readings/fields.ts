/** One value inside a reading, identified by the keys and indexes that lead to it. */
export interface Field {
  readonly path: readonly string[];
  /** Whether it was a number or a boolean in some reading, so that it can be drawn. */
  readonly isNumeric: boolean;
}

/** Maximum of fields of one source: readings with more are shown as JSON. */
export const MAX_FIELDS = 1_000;

/** A value at the end of a path: a number, text, boolean, null, or an empty object or list. */
export interface Leaf {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** The values of a reading, also those inside objects and lists, in the order of the reading. */
export function leavesOf(value: unknown, path: readonly string[] = []): Leaf[] {
  if (typeof value !== 'object' || value === null) return [{ path, value }];
  const entries = Object.entries(value);
  if (entries.length === 0) return path.length === 0 ? [] : [{ path, value }];
  return entries.flatMap(([key, inner]) => leavesOf(inner, [...path, key]));
}

/** A path as a JSON pointer (RFC 6901), for maps and addresses. */
export function fieldPointer(path: readonly string[]): string {
  return path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The path of a pointer; undefined if the text is not a pointer. */
export function fieldPath(pointer: string): readonly string[] | undefined {
  if (!pointer.startsWith('/')) return undefined;
  return pointer
    .slice(1)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The name of a path for people: `readings.temperature`, `readings["a.b"]`. Different paths have different names. */
export function fieldName(path: readonly string[]): string {
  return path.map((key, index) => nameOf(key, index === 0)).join('');
}

function nameOf(key: string, isFirst: boolean): string {
  if (key === '' || /[."[\]]/.test(key)) return `[${JSON.stringify(key)}]`;
  return isFirst ? key : `.${key}`;
}

/** The path of a name, which a person may have typed; undefined if the name is invalid. */
export function pathOfName(name: string): readonly string[] | undefined {
  const step = /\[("(?:[^"\\]|\\.)*")\]|(\.?)([^.[\]"]+)/y;
  const path: string[] = [];
  while (step.lastIndex < name.length) {
    const [all, quoted, dot, plain] = step.exec(name) ?? [];
    // A dot is allowed only between two keys.
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

/** The first key if all fields of a source share it, such as `readings`: it does not distinguish them. */
export function commonPrefix(fields: readonly Pick<Field, 'path'>[]): readonly string[] {
  const [first, ...rest] = fields;
  if (first === undefined) return [];
  let length = first.path.length - 1;
  for (const { path } of rest) {
    length = Math.min(length, path.length - 1);
    while (!path.slice(0, length).every((key, index) => key === first.path[index])) length -= 1;
  }
  // At most one key, which the capture itself adds; with more, a single field would lose its meaning.
  return first.path.slice(0, Math.min(Math.max(length, 0), 1));
}

/** Collects the fields that are found in readings. */
export class FieldSet {
  readonly #fields = new Map<string, Field>();

  get all(): readonly Field[] {
    return [...this.#fields.values()];
  }

  has(path: readonly string[]): boolean {
    return this.#fields.has(fieldPointer(path));
  }

  /** Adds the fields of a reading. @returns whether any is new or has become numeric */
  add(payload: unknown): boolean {
    let isNew = false;
    for (const { path, value } of leavesOf(payload)) {
      const pointer = fieldPointer(path);
      const known = this.#fields.get(pointer);
      const isNumeric = typeof value === 'number' || typeof value === 'boolean';
      if (known === undefined ? this.#fields.size >= MAX_FIELDS : known.isNumeric || !isNumeric) continue;
      this.#fields.set(pointer, { path, isNumeric });
      isNew = true;
    }
    return isNew;
  }

  /** Sorted by name, with numbers in numeric order, because readings have no order of their own. */
  sorted(): readonly Field[] {
    const named = this.all.map((field) => ({ field, name: fieldName(field.path) }));
    named.sort((left, right) => left.name.localeCompare(right.name, 'en', { numeric: true }));
    return named.map(({ field }) => field);
  }
}

/** The value at a path; undefined if there is none. */
export function valueAt(payload: unknown, path: readonly string[]): unknown {
  let value = payload;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}
