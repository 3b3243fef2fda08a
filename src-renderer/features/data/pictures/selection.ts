/** The selected ids of a list, and the anchor of a range. */
export interface Selection {
  readonly ids: ReadonlySet<string>;
  /** Id at which a range starts; '' for none. */
  readonly anchor: string;
}

export const nothingSelected: Selection = { ids: new Set(), anchor: '' };

/** Adds or removes one id, which becomes the anchor. */
export function toggled({ ids }: Selection, id: string): Selection {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return { ids: next, anchor: id };
}

/** Adds everything from the anchor to an id; only that id where there is no anchor. */
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

/** Reduces a selection to the ids that are still shown. */
export function within({ ids, anchor }: Selection, order: readonly string[]): Selection {
  const shown = new Set(order);
  return { ids: new Set([...ids].filter((id) => shown.has(id))), anchor: shown.has(anchor) ? anchor : '' };
}
