import type { Member } from './members.ts';
import { noNotices, type Notices } from './notices.ts';

/** What a hub is among those that serve its store. */
export interface Cluster {
  /** Another one each time that it starts. */
  readonly hubId: string;
  /** Whether other hubs may serve the store too. */
  readonly isShared: boolean;
  readonly notices: Notices;
  readonly members: {
    /** Those that are there, this one too. */
    readonly all: ReadonlyMap<string, Member>;
    readonly leaderId: string | undefined;
    readonly isLeading: boolean;
    /** Calls back with the id of each hub that is there no more. Returns an unsubscribe function. */
    onDeath(listener: (hubId: string) => void): () => void;
    /** Calls back once, when this hub leads: from then on until it ends. */
    whenLeading(start: () => void): void;
  };
  /** The hub ends. */
  close(): Promise<void>;
}

/** A hub that has its store for itself. */
export function aloneAt(hubId: string): Cluster {
  return {
    hubId,
    isShared: false,
    notices: noNotices,
    members: {
      all: new Map([[hubId, { id: hubId, address: '' }]]),
      leaderId: hubId,
      isLeading: true,
      onDeath: () => () => undefined,
      whenLeading: (start) => start(),
    },
    close: () => Promise.resolve(),
  };
}
