/** Messages between the hubs of one store, so that changes are seen without waiting for the next poll of the store. */
export type Notice =
  /** Events were added. */
  | { readonly kind: 'events' }
  /** The versions, presence or status of a part have changed. */
  | { readonly kind: 'part'; readonly partId: string }
  /** Organizations, locations, machines or parts were created, changed or deleted. */
  | { readonly kind: 'fleet' }
  /** A part without a stream has made a request at another hub than the one that tracks its presence. */
  | { readonly kind: 'asked'; readonly partId: string }
  /** The part has connected to the hub that sends this. */
  | { readonly kind: 'connected'; readonly partId: string; readonly hubId: string };

/**
 * A notice may be lost, for example while the database is down, so nothing may depend on one: its content is also in
 * the store, which is read now and then.
 */
export interface Notices {
  /** Sends a notice to the other hubs. The change must be committed before. */
  tell(notice: Notice): void;
  /** Calls back with notices of other hubs. Returns an unsubscribe function. */
  on(listener: (notice: Notice) => void): () => void;
  /** Calls back when notices may have been lost. Returns an unsubscribe function. */
  onLost(listener: () => void): () => void;
}

/** For a hub that does not share its store. */
export const noNotices: Notices = {
  tell: () => undefined,
  on: () => () => undefined,
  onLost: () => () => undefined,
};
