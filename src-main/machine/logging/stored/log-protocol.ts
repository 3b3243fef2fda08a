/** The messages between the program and the thread of its stored log. They are cloned. */
import type { LogLevel } from '../../../base/logger.ts';
import type { LogEntry } from '../log-entry.ts';
import type { LogFilter } from '../log-filter.ts';

/** How much of a log is stored. */
export interface LogStoreLimits {
  /** Older lines are deleted, by the log's own time; see {@link LogAge}. Milliseconds. */
  readonly keepMs: number;
  /**
   * Maximum size of the database in bytes, without its write-ahead log of about 4 MB: beyond it, the oldest lines are
   * deleted early.
   */
  readonly maxBytes: number;
  /** Bytes of lines that may wait in a separate file before the database is opened for them. */
  readonly tailBytes: number;
}

/** 30 days; 512 MiB, about three million lines: a fraction of the smallest SD card that is sold. */
export const defaultLogStoreLimits: LogStoreLimits = {
  keepMs: 30 * 86_400_000,
  maxBytes: 512 * 1024 * 1024,
  tailBytes: 256 * 1024,
};

/** Passed to the thread at its start. */
export interface LogThreadOptions {
  readonly folder: string;
  readonly limits: LogStoreLimits;
}

/** A range of the log, in order. */
export interface LogRange {
  readonly entries: readonly LogEntry[];
  /** Number of the last entry read, matching or not: the next range continues there. */
  readonly lastSeq: number;
}

/** Requests the latest matching entries, in one step of a search. */
export interface SearchRequest {
  readonly filter: LogFilter;
  readonly limit: number;
  /** Most characters of entries; at least one entry is always returned. */
  readonly maxChars: number;
  readonly beforeSeq: number;
}

/** Result of one step of a search, and where the next one continues. */
export interface SearchResult {
  /** Latest first. */
  readonly entries: readonly LogEntry[];
  readonly chars: number;
  /** Everything from this number on was examined. */
  readonly beforeSeq: number;
  /** Whether nothing comes before it. */
  readonly isEnd: boolean;
  /** Time of the oldest entry examined; undefined if there was none. */
  readonly searchedTo: number | undefined;
  /** Sentences that name what could not be read. */
  readonly unreadable: readonly string[];
}

/** Requests entries after a number, in order. */
export interface RangeRequest {
  readonly afterSeq: number;
  readonly levels: ReadonlySet<LogLevel>;
  readonly most: number;
}

/** Requests to the thread, with their answers. */
export interface LogCalls {
  /** Lines of `stored-line.ts`; those stored already are skipped. */
  readonly write: { readonly ask: string; readonly answer: undefined };
  readonly search: { readonly ask: SearchRequest; readonly answer: SearchResult };
  readonly range: { readonly ask: RangeRequest; readonly answer: LogRange };
  /** Approximate number of characters stored after a number. */
  readonly charsBehind: { readonly ask: number; readonly answer: number };
}

export type LogRequest = {
  readonly [Kind in keyof LogCalls]: { readonly id: number; readonly kind: Kind; readonly ask: LogCalls[Kind]['ask'] };
}[keyof LogCalls];

/** Answers a request by its `id`; a notice is sent without a request, and is a sentence for people. */
export type LogReply =
  | { readonly kind: 'done'; readonly id: number; readonly answer: LogCalls[keyof LogCalls]['answer'] }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string }
  | { readonly kind: 'notice'; readonly message: string };
