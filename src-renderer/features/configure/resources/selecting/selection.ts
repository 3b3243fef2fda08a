/** Selected rows of a list, by key. Immutable: each step makes a new one. */
export interface Selection {
  readonly keys: ReadonlySet<string>;
  /** The row that a range begins at; '' for none yet. */
  readonly anchor: string;
  /** The row that the last range ended at; '' for none. A range goes on only from here. */
  readonly lead: string;
}

export const emptySelection: Selection = { keys: new Set(), anchor: '', lead: '' };

/** Nothing selected; the next range begins at `key`. */
export function anchoredAt(key: string): Selection {
  return { keys: new Set(), anchor: key, lead: key };
}

/** Selects a row, or takes it out of the selection. */
export function toggled({ keys }: Selection, key: string): Selection {
  const next = new Set(keys);
  if (!next.delete(key)) next.add(key);
  return { keys: next, anchor: key, lead: key };
}

/** Selects the range from the anchor to `key`, and nothing else. Without an anchor in the list it begins at `start`. */
export function extended(selection: Selection, order: readonly string[], key: string, start: string): Selection {
  const anchor = [selection.anchor, start, key].find((one) => order.includes(one)) ?? key;
  const ends = [order.indexOf(anchor), order.indexOf(key)];
  const range = order.slice(Math.min(...ends), Math.max(...ends) + 1);
  return { keys: new Set(range), anchor, lead: key };
}

/** Selects all rows. */
export function all({ anchor, lead }: Selection, order: readonly string[]): Selection {
  return { keys: new Set(order), anchor, lead };
}

/** The selected rows that the list shows, in its order: nothing happens to a row that a filter hides. */
export function shownIn({ keys }: Selection, order: readonly string[]): readonly string[] {
  return order.filter((key) => keys.has(key));
}
