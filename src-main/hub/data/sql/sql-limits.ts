import type { SlotLimits } from '../../../base/async/fair-slots.ts';

/** What one query may cost, and how many may run, each in a process of its own. */
export interface SqlLimits extends SlotLimits {
  /** From the start of its process to its answer, reading included. */
  readonly timeMs: number;
  /** Characters of a query. */
  readonly queryChars: number;
  /** Readings that are given to it, and bytes of their JSON. */
  readonly readings: number;
  readonly payloadBytes: number;
  /** What the engine may use, by its own account. */
  readonly engineBytes: number;
  /** What its process may use, whoever in it does. */
  readonly processBytes: number;
  /** Rows of an answer and their bytes; a message has 32 MiB at most. */
  readonly answerRows: number;
  readonly answerBytes: number;
}

const MIB = 1024 * 1024;

/**
 * A million readings of 90 bytes in SQLite take 12 s from the question to an average on two busy cores, nearly all of it for
 * reading them; the engine needs 130 MB and half a second.
 */
export const usualSqlLimits: SqlLimits = {
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
