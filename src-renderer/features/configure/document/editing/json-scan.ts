/*
 * Finds values in a JSON text by scanning one level at a time, without building
 * a tree, so that an edit in a text of 5 MB costs no more than one pass over
 * it. The text must be valid JSON (`JSON.parse` accepts it).
 */

/** Keys and indexes from the root to a value. */
export type JsonPath = readonly (string | number)[];

/** A value in an object or array. Offsets in the text; `start` to `end` is the value. */
export interface JsonChild {
  /** Undefined in an array. */
  readonly key: string | undefined;
  /** Start of the key in an object, of the value in an array. */
  readonly from: number;
  readonly start: number;
  readonly end: number;
}

/** White space of JSON, and the byte order mark. */
const spaces = new Set([0x20, 0x0a, 0x0d, 0x09, 0xfeff]);
/** Brackets and quotes. A regular expression, because a loop over the characters is slow until it is compiled. */
const structural = /["[\]{}]/g;
const scalarEnd = /[,\]}\s]|$/g;

/** The first offset at or after `at` that is no white space (a byte order mark counts as white space). */
function skipSpace(text: string, at: number): number {
  let next = at;
  while (next < text.length && spaces.has(text.charCodeAt(next))) next += 1;
  return next;
}

/** The offset after the value that begins at `start`. */
function valueEnd(text: string, start: number): number {
  const first = text[start];
  if (first === '"') return stringEnd(text, start);
  if (first !== '{' && first !== '[') {
    scalarEnd.lastIndex = start;
    return scalarEnd.exec(text)?.index ?? text.length;
  }
  let depth = 0;
  structural.lastIndex = start;
  while (structural.test(text)) {
    const at = structural.lastIndex - 1;
    const code = text.charCodeAt(at);
    if (code === 0x22) structural.lastIndex = stringEnd(text, at);
    else if (code === 0x7b || code === 0x5b) depth += 1;
    else {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return text.length;
}

/** The children of the object or array at `start`; none for a scalar. */
export function childrenAt(text: string, start: number): JsonChild[] {
  const opening = text[start];
  if (opening !== '{' && opening !== '[') return [];
  const children: JsonChild[] = [];
  let at = skipSpace(text, start + 1);
  while (at < text.length && text[at] !== '}' && text[at] !== ']') {
    const from = at;
    let key: string | undefined;
    if (opening === '{') {
      const keyEnd = stringEnd(text, at);
      key = JSON.parse(text.slice(at, keyEnd)) as string;
      at = skipSpace(text, skipSpace(text, keyEnd) + 1);
    }
    const end = valueEnd(text, at);
    children.push({ key, from, start: at, end });
    at = skipSpace(text, end);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return children;
}

/** The root value; undefined in a text of white space. */
export function rootOf(text: string): JsonChild | undefined {
  const start = skipSpace(text, 0);
  if (start === text.length) return undefined;
  // In valid JSON only white space follows the root: no need to scan it.
  return { key: undefined, from: start, start, end: text.trimEnd().length };
}

/** The value at a path; of a duplicate key the last, as in `JSON.parse`. */
export function locate(text: string, path: JsonPath): JsonChild | undefined {
  let found = rootOf(text);
  for (const step of path) {
    if (found === undefined) return undefined;
    found = childOf(childrenAt(text, found.start), step);
  }
  return found;
}

export function childOf(children: readonly JsonChild[], step: string | number): JsonChild | undefined {
  return typeof step === 'string'
    ? children.findLast(({ key }) => key === step)
    : children.find(({ key }, index) => key === undefined && index === step);
}

function stringEnd(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end + 1;
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === '\\') first -= 1;
  return (at - first) % 2 === 1;
}
