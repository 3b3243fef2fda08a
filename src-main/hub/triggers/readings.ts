import type { JsonValue } from '../../../proto/config/text/json-text.ts';

/** One reading of an upload. */
export interface Reading {
  /** As it is on the wire: `{"readings": {"cpu": 51}}`. */
  readonly payload: { readonly [key: string]: JsonValue };
  /** When the machine asked for it, and had it: wall-clock milliseconds. */
  readonly requestedAt: number;
  readonly receivedAt: number;
}

/** The readings of an upload in their order; none where it has none, or is gone. Throws where the store cannot be read. */
export type ReadingsOf = (uploadId: string) => Promise<readonly Reading[]>;
