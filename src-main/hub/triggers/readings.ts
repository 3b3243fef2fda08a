import { readingOf } from '../../../proto/config/triggers/conditions.ts';
import type { JsonValue } from '../../../proto/config/text/json-text.ts';

/** One reading of an upload. */
export interface Reading {
  /** As in the protocol: `{"readings": {"cpu": 51}}`. */
  readonly payload: { readonly [key: string]: JsonValue };
  /** When the machine requested and received it: wall-clock milliseconds. */
  readonly requestedAt: number;
  readonly receivedAt: number;
}

/** A reading with the value that conditions compare. It is the same for every trigger, so it is computed once. */
export interface ComparableReading extends Reading {
  readonly values: JsonValue;
}

export function comparable(readings: readonly Reading[]): readonly ComparableReading[] {
  return readings.map((reading) => ({ ...reading, values: readingOf(reading.payload) }));
}

/** The readings of an upload in order; empty if it has none or was deleted. Throws if the store cannot be read. */
export type ReadingsOf = (uploadId: string) => Promise<readonly Reading[]>;
