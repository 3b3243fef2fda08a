/** The kinds of events, with their payloads. The meaning of a stored payload never changes. */
export interface EventPayloads {
  /** A configuration of the part was stored. */
  readonly 'config.stored': { readonly number: number; readonly revision: string };
  /** The part came online. */
  readonly 'part.online': Empty;
  /**
   * The part went offline. When it was last seen, in wall-clock milliseconds; missing in events of earlier versions.
   */
  readonly 'part.away': { readonly lastSeen?: number };
  /**
   * The part is back after a time in which its hub, which runs in the same program, was not running either. Wall-clock
   * milliseconds.
   */
  readonly 'part.gap': { readonly began: number; readonly ended: number };
  /** A module was created, changed, renamed or deleted. */
  readonly 'module.changed': { readonly moduleId: string };
  readonly 'package.published': { readonly moduleId: string; readonly version: string; readonly platform: string };
  /** A version was removed from all channels, or put back. */
  readonly 'version.yanked': { readonly moduleId: string; readonly version: string; readonly isUndone: boolean };
  /** A version of a package other than a module was uploaded or deleted; `packageId` is `organization id/name`. */
  readonly 'package.changed': { readonly packageId: string; readonly type: string; readonly version: string };
  /** A complete upload was stored: readings of one method of one resource, a piece of binary data, or a file. */
  readonly 'data.ingested': IngestedData;
}

/** What was uploaded, without its content. */
export interface IngestedData {
  /** Id of the row that its readings or bytes belong to. */
  readonly uploadId: string;
  /** As given by the uploader; `unspecified` if it gave none. */
  readonly type: 'binary' | 'tabular' | 'file' | 'unspecified';
  readonly componentName: string;
  /** API triplet in our spelling, `core:component:sensor`; empty for a file without a resource. */
  readonly componentType: string;
  readonly methodName: string;
  /** The hub's id of the file; the same as `uploadId` for readings. */
  readonly fileId: string;
  /** When the machine received the first and the last of it: wall-clock milliseconds. */
  readonly minReceived: number;
  readonly maxReceived: number;
  /** Number of readings, or 1. */
  readonly count: number;
  readonly tags: readonly string[];
}

type Empty = Readonly<Record<string, never>>;

export type EventKind = keyof EventPayloads;

/** An event in a transaction that is still running. */
export type NewEvent = {
  readonly [K in EventKind]: {
    readonly kind: K;
    readonly organizationId?: string;
    readonly partId?: string;
    readonly payload: EventPayloads[K];
  };
}[EventKind];

/** An event of a committed transaction. */
export type HubEvent = NewEvent & {
  /** Greater than the ids of all events committed before. */
  readonly id: number;
  /** Wall-clock milliseconds. */
  readonly time: number;
};
