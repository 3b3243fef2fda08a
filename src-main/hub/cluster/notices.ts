/** What hubs of one store tell each other, so that nobody has to wait for the next look at the store. */
export type Notice =
  /** Something was added to the events. */
  | { readonly kind: 'events' }
  /** Versions, presence or status of a part have changed. */
  | { readonly kind: 'part'; readonly partId: string }
  /** Organizations, locations, machines or parts are others, or their names. */
  | { readonly kind: 'fleet' }
  /** A part that holds no stream has asked for something at another hub than the one that notes that it is there. */
  | { readonly kind: 'asked'; readonly partId: string }
  /** The part is connected to the hub that says so. */
  | { readonly kind: 'connected'; readonly partId: string; readonly hubId: string };

/**
 * A notice may be lost, for example while the database is away, so nothing may depend on one: what it says is in
 * the store, and is looked for there now and then.
 */
export interface Notices {
  /** Tells the other hubs. What they would read must be committed. */
  tell(notice: Notice): void;
  /** Calls back with what the others tell. Returns an unsubscribe function. */
  on(listener: (notice: Notice) => void): () => void;
  /** Calls back where some may have been lost. Returns an unsubscribe function. */
  onLost(listener: () => void): () => void;
}

/** Of a hub that is alone. */
export const noNotices: Notices = {
  tell: () => undefined,
  on: () => () => undefined,
  onLost: () => () => undefined,
};
