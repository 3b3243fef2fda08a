/** What may happen, with what is kept of it. What is stored of a kind never changes its meaning. */
export interface EventPayloads {
  /** A configuration became the part's. */
  readonly 'config.stored': { readonly number: number; readonly revision: string };
  /** The part is there, and was not. */
  readonly 'part.online': Empty;
  /** It is there no more. When it was seen last, wall-clock milliseconds; earlier programs did not say. */
  readonly 'part.away': { readonly lastSeen?: number };
  /** It is there again after a time in which its hub, which runs in its program, was away with it. */
  readonly 'part.gap': { readonly began: number; readonly ended: number };
  /** A module was made, described otherwise, renamed or deleted. */
  readonly 'module.changed': { readonly moduleId: string };
  readonly 'package.published': { readonly moduleId: string; readonly version: string; readonly platform: string };
  /** A version was taken out of every channel, or put back. */
  readonly 'version.yanked': { readonly moduleId: string; readonly version: string; readonly isUndone: boolean };
  /** A version of a package that is no module was uploaded or deleted; `packageId` is `organization id/name`. */
  readonly 'package.changed': { readonly packageId: string; readonly type: string; readonly version: string };
  /** A whole upload was stored: readings of one method of one resource, a piece of binary data, or a file. */
  readonly 'data.ingested': IngestedData;
}

/** What was uploaded, without its content. */
export interface IngestedData {
  /** Of the row that its readings, or its bytes, belong to. */
  readonly uploadId: string;
  /** As the uploader said it; `unspecified` where it said nothing. */
  readonly type: 'binary' | 'tabular' | 'file' | 'unspecified';
  readonly componentName: string;
  /** Triplet in our spelling, `core:component:sensor`; empty for a file of no resource. */
  readonly componentType: string;
  readonly methodName: string;
  /** What the hub calls the file; the same as `uploadId` for readings. */
  readonly fileId: string;
  /** When the machine received the first and the last of it: wall-clock milliseconds. */
  readonly minReceived: number;
  readonly maxReceived: number;
  /** Readings, or 1. */
  readonly count: number;
  readonly tags: readonly string[];
}

type Empty = Readonly<Record<string, never>>;

export type EventKind = keyof EventPayloads;

/** Something that is happening in a transaction. */
export type NewEvent = {
  readonly [K in EventKind]: {
    readonly kind: K;
    readonly organizationId?: string;
    readonly partId?: string;
    readonly payload: EventPayloads[K];
  };
}[EventKind];

/** Something that happened: its transaction is committed. */
export type HubEvent = NewEvent & {
  /** Greater than that of whatever was committed before. */
  readonly id: number;
  /** Wall-clock milliseconds. */
  readonly time: number;
};
