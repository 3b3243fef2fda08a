import type { Member } from './members.ts';
import { noNotices, type Notices } from './notices.ts';

/** The view of one hub on all hubs that serve its store. */
export interface Cluster {
  /** A new id for each start. */
  readonly hubId: string;
  /** Whether other hubs may serve the store too. */
  readonly isShared: boolean;
  readonly notices: Notices;
  readonly members: {
    /** Hubs that are alive, including this one. */
    readonly all: ReadonlyMap<string, Member>;
    readonly leaderId: string | undefined;
    readonly isLeading: boolean;
    /** Calls back with the id of each hub that has died or left. Returns an unsubscribe function. */
    onDeath(listener: (hubId: string) => void): () => void;
    /** Calls back once, when this hub becomes the leader; it then leads until it ends. */
    whenLeading(start: () => void): void;
  };
  /** Leaves the cluster. */
  close(): Promise<void>;
}

/** The cluster of a single hub that does not share its store. */
export function standaloneCluster(hubId: string): Cluster {
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
