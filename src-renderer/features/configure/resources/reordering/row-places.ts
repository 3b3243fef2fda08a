import type { DocumentEntry } from '../../document/document-model.ts';
import type { ListItem } from '../list-items.ts';

/** An entry of the draft in the list: only these can be moved, each within its group. */
export interface MovableRow {
  readonly key: string;
  /** Its index in the list. */
  readonly at: number;
  readonly entry: DocumentEntry;
}

/** The rows of the same group that can be moved, in the order of the list; [] for a row that cannot be moved. */
export function siblingsOf(items: readonly ListItem[], key: string): readonly MovableRow[] {
  const rows = items.flatMap((item, at): MovableRow[] => {
    if (item.kind !== 'row' || item.row.entry === undefined || item.row.mark === 'removed') return [];
    return [{ key: item.key, at, entry: item.row.entry }];
  });
  const section = rows.find((row) => row.key === key)?.entry.section;
  return rows.filter(({ entry }) => entry.section === section);
}

/**
 * The index in its section that a row gets by one step up (-1) or down (1): that of its neighbour in the list, also
 * where a filter hides rows between them. Undefined at the end of its group.
 */
export function stepIndex(siblings: readonly MovableRow[], key: string, step: 1 | -1): number | undefined {
  const own = siblings.findIndex((row) => row.key === key);
  return own < 0 ? undefined : siblings[own + step]?.entry.index;
}

/** Where a dragged row would go. */
export interface DropPlace {
  /** Offset of the line between the rows, in pixels from the start of the list. */
  readonly line: number;
  /** Index in its section that the row gets. */
  readonly index: number;
}

/**
 * Where a row that is dragged to an offset goes: to the nearest gap of its group.
 * @param starts offset of each line of the list, and of its end, in pixels
 */
export function dropPlace(
  siblings: readonly MovableRow[],
  key: string,
  offset: number,
  starts: readonly number[],
): DropPlace | undefined {
  const own = siblings.find((row) => row.key === key);
  const last = siblings.at(-1);
  if (own === undefined || last === undefined) return undefined;
  const middle = ({ at }: MovableRow): number => ((starts[at] ?? 0) + (starts[at + 1] ?? 0)) / 2;
  // The gap before the first row whose middle is below the pointer, or after the last.
  const next = siblings.find((row) => offset < middle(row));
  if (next === undefined) return { line: starts[last.at + 1] ?? 0, index: last.entry.index };
  const isLater = next.entry.index > own.entry.index;
  return { line: starts[next.at] ?? 0, index: isLater ? next.entry.index - 1 : next.entry.index };
}

/** Offsets of lines with these heights, and of their end. */
export function startsOf(heights: readonly number[]): readonly number[] {
  const starts = [0];
  for (const height of heights) starts.push((starts.at(-1) ?? 0) + height);
  return starts;
}
