import type { SlotLimits } from '../../../base/async/fair-slots.ts';

/** Limits of one query, and of the number of queries, which each run in a process of their own. */
export interface SqlLimits extends SlotLimits {
  /** From the start of its process to its answer, including the time to read the data. */
  readonly timeMs: number;
  /** Characters of a query. */
  readonly queryChars: number;
  /** Readings that are sent to it, and bytes of their JSON. */
  readonly readings: number;
  readonly payloadBytes: number;
  /** Memory of the engine, as it counts itself. */
  readonly engineBytes: number;
  /** Memory of the whole process. */
  readonly processBytes: number;
  /** Rows of an answer and their bytes; a message has 32 MiB at most. */
  readonly answerRows: number;
  readonly answerBytes: number;
}

const MIB = 1024 * 1024;

/**
 * An average of a million readings of 90 bytes in SQLite takes 12 s on two busy cores. Nearly all of this is reading
 * them; the engine needs 130 MB and half a second.
 */
export const defaultSqlLimits: SqlLimits = {
  timeMs: 30_000,
  queryChars: 65_536,
  readings: 1_000_000,
  payloadBytes: 128 * MIB,
  engineBytes: 512 * MIB,
  processBytes: 1024 * MIB,
  answerRows: 100_000,
  answerBytes: 16 * MIB,
  atOnce: 2,
  atOnceByCaller: 1,
  waiting: 8,
  waitingByCaller: 2,
};
