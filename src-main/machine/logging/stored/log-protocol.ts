/** The messages between the program and the thread of its stored log. They are cloned. */
import type { LogLevel } from '../../../base/logger.ts';
import type { LogEntry } from '../log-entry.ts';
import type { LogFilter } from '../log-filter.ts';

/** How much of a log is kept. */
export interface LogStoreLimits {
  /** Older lines are deleted, by the log's own time; see {@link LogAge}. Milliseconds. */
  readonly keepMs: number;
  /** Most bytes of the database, its write-ahead log of about 4 MB not counted: beyond it the oldest lines go early. */
  readonly maxBytes: number;
  /** Bytes of lines that may wait in a file of their own before the database is opened for them. */
  readonly tailBytes: number;
}

/** 30 days; 512 MiB, about three million lines: a fraction of the smallest SD card that is sold. */
export const defaultLogStoreLimits: LogStoreLimits = {
  keepMs: 30 * 86_400_000,
  maxBytes: 512 * 1024 * 1024,
  tailBytes: 256 * 1024,
};

/** Given to the thread as it starts. */
export interface LogThreadOptions {
  readonly folder: string;
  readonly limits: LogStoreLimits;
}

/** A range of the log, in order. */
export interface LogRange {
  readonly entries: readonly LogEntry[];
  /** Number of the last entry that was read, matching or not: where to go on. */
  readonly lastSeq: number;
}

/** Asks for the latest entries that match, in one step of a search. */
export interface SearchRequest {
  readonly filter: LogFilter;
  readonly limit: number;
  /** Text of the entries at most, characters; one entry is always given. */
  readonly maxChars: number;
  readonly beforeSeq: number;
}

/** What one step of a search found, and where the next one continues. */
export interface SearchResult {
  /** Latest first. */
  readonly entries: readonly LogEntry[];
  readonly chars: number;
  /** What is not before it was looked at. */
  readonly beforeSeq: number;
  /** Whether there is nothing before it. */
  readonly isEnd: boolean;
  /** Time of the oldest entry looked at; undefined where there was none. */
  readonly searchedTo: number | undefined;
  /** Sentences that name what could not be read. */
  readonly unreadable: readonly string[];
}

/** Asks for entries after a number, in their order. */
export interface RangeRequest {
  readonly afterSeq: number;
  readonly levels: ReadonlySet<LogLevel>;
  readonly most: number;
}

/** What the thread can be asked, and what it answers. */
export interface LogCalls {
  /** Lines of `stored-line.ts`; those that are stored already are passed over. */
  readonly write: { readonly ask: string; readonly answer: undefined };
  readonly search: { readonly ask: SearchRequest; readonly answer: SearchResult };
  readonly range: { readonly ask: RangeRequest; readonly answer: LogRange };
  /** Characters that are stored well after a number. */
  readonly charsBehind: { readonly ask: number; readonly answer: number };
}

export type LogRequest = {
  readonly [Kind in keyof LogCalls]: { readonly id: number; readonly kind: Kind; readonly ask: LogCalls[Kind]['ask'] };
}[keyof LogCalls];

/** Answers a request by its `id`; a notice comes unasked, and is a sentence for people. */
export type LogReply =
  | { readonly kind: 'done'; readonly id: number; readonly answer: LogCalls[keyof LogCalls]['answer'] }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string }
  | { readonly kind: 'notice'; readonly message: string };
