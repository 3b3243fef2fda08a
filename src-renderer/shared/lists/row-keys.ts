/** Where the keys of a list are, and how much of it there is. */
export interface RowPlace {
  /** Index of the row that the keys are at; -1 for none yet. */
  readonly from: number;
  readonly count: number;
  /** Rows that a page of the screen has. */
  readonly page: number;
}

/** The row that a key leads to, within the list; undefined for a key that leads nowhere. */
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

/** Rows that a list of this height shows below its head, less one that stays in sight; one at least. */
export function rowsOfPage(heightPx: number, headPx: number, rowPx: number): number {
  return Math.max(1, Math.floor((heightPx - headPx) / rowPx) - 1);
}
