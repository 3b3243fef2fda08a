/** What is selected in a list: ids, and where a range begins. */
export interface Selection {
  readonly ids: ReadonlySet<string>;
  /** Id from which a range is selected; '' before anything was. */
  readonly anchor: string;
}

export const nothingSelected: Selection = { ids: new Set(), anchor: '' };

/** One in or out. A range begins there. */
export function toggled({ ids }: Selection, id: string): Selection {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return { ids: next, anchor: id };
}

/** Everything from the anchor to one, beside what was selected; that one alone where nothing was before. */
export function extended({ ids, anchor }: Selection, id: string, order: readonly string[]): Selection {
  const to = order.indexOf(id);
  const from = order.indexOf(anchor);
  if (to < 0) return { ids, anchor };
  if (from < 0) return { ids: new Set([...ids, id]), anchor: id };
  const range = order.slice(Math.min(from, to), Math.max(from, to) + 1);
  return { ids: new Set([...ids, ...range]), anchor };
}

export function allOf(order: readonly string[], { anchor }: Selection): Selection {
  return { ids: new Set(order), anchor };
}

/** What is left where some are shown no more: nothing that cannot be seen stays selected. */
export function within({ ids, anchor }: Selection, order: readonly string[]): Selection {
  const shown = new Set(order);
  return { ids: new Set([...ids].filter((id) => shown.has(id))), anchor: shown.has(anchor) ? anchor : '' };
}
