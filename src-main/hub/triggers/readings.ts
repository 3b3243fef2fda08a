import { readingOf } from '../../../proto/config/triggers/conditions.ts';
import type { JsonValue } from '../../../proto/config/text/json-text.ts';

/** One reading of an upload. */
export interface Reading {
  /** As it is on the wire: `{"readings": {"cpu": 51}}`. */
  readonly payload: { readonly [key: string]: JsonValue };
  /** When the machine asked for it, and had it: wall-clock milliseconds. */
  readonly requestedAt: number;
  readonly receivedAt: number;
}

/** A reading, and what conditions are compared with: the same for every trigger, so it is looked up once. */
export interface ComparableReading extends Reading {
  readonly values: JsonValue;
}

export function comparable(readings: readonly Reading[]): readonly ComparableReading[] {
  return readings.map((reading) => ({ ...reading, values: readingOf(reading.payload) }));
}

/** The readings of an upload in their order; none where it has none, or is gone. Throws where the store cannot be read. */
export type ReadingsOf = (uploadId: string) => Promise<readonly Reading[]>;
