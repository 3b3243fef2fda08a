/** The current row of a list, and the size of the list. */
export interface RowPlace {
  /** Index of the current row; -1 for none yet. */
  readonly from: number;
  readonly count: number;
  /** Rows that Page Up and Page Down move by. */
  readonly page: number;
}

/** The row that a key moves to, within the list; undefined for any other key. */
export function rowFor(key: string, { from, count, page }: RowPlace): number | undefined {
  const targets: Readonly<Record<string, number>> = {
    ArrowUp: from < 0 ? 0 : from - 1,
    ArrowDown: from + 1,
    PageUp: from - page,
    PageDown: from + page,
    Home: 0,
    End: count - 1,
  };
  const target = targets[key];
  return target === undefined || count === 0 ? undefined : Math.max(0, Math.min(target, count - 1));
}

/** Rows that a list of this height shows below its head, less one that stays visible; at least one. */
export function rowsOfPage(heightPx: number, headPx: number, rowPx: number): number {
  return Math.max(1, Math.floor((heightPx - headPx) / rowPx) - 1);
}
