import { findNodeAtLocation, parseTree, type Node } from 'jsonc-parser';

/** A range of a text, as offsets. */
export interface TextRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Where a line and column (both from 1, as problems have them) are in a text.
 * A place past the end of a line or of the text is its end; line 0 (unknown) is the start.
 */
export function offsetOf(text: string, line: number, column: number): number {
  if (line < 1) return 0;
  let start = 0;
  for (let current = 1; current < line; current += 1) {
    const next = text.indexOf('\n', start);
    if (next === -1) return text.length;
    start = next + 1;
  }
  const newline = text.indexOf('\n', start);
  const end = newline === -1 ? text.length : newline;
  return Math.min(start + Math.max(column - 1, 0), end);
}

/** Where each resource of a configuration is in its text; tolerant of a text that is half typed. */
export function findResource(text: string, name: string): TextRange | undefined {
  const root = parseTree(text);
  if (root === undefined) return undefined;
  for (const list of ['components', 'services']) {
    const entries = findNodeAtLocation(root, [list])?.children ?? [];
    const entry = entries.find((candidate) => nameOf(candidate) === name);
    if (entry !== undefined) return { from: entry.offset, to: entry.offset + entry.length };
  }
  return undefined;
}

/** The name of the resource whose entry holds an offset. */
export function resourceAt(text: string, offset: number): string | undefined {
  const root = parseTree(text);
  if (root === undefined) return undefined;
  for (const list of ['components', 'services']) {
    for (const entry of findNodeAtLocation(root, [list])?.children ?? []) {
      if (offset >= entry.offset && offset <= entry.offset + entry.length) return nameOf(entry);
    }
  }
  return undefined;
}

/** Which entry a problem's pointer is in: `/components/2/attributes/max_rpm` -> its name. */
export function resourceOfPointer(text: string, pointer: string): string | undefined {
  const match = /^\/(components|services)\/(\d+)(\/|$)/.exec(pointer);
  if (match === null) return undefined;
  const root = parseTree(text);
  if (root === undefined) return undefined;
  const entry = findNodeAtLocation(root, [match[1] ?? '', Number(match[2])]);
  return entry === undefined ? undefined : nameOf(entry);
}

function nameOf(entry: Node): string | undefined {
  if (entry.type !== 'object') return undefined;
  const value: unknown = findNodeAtLocation(entry, ['name'])?.value;
  return typeof value === 'string' ? value : undefined;
}
