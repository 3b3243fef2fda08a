import type { LogLevel } from '../../base/logger.ts';
import { rankOf, type LogEntry } from './log-entry.ts';

/** Which entries to return. Undefined fields match everything. */
export interface LogFilter {
  readonly levels?: readonly LogLevel[] | undefined;
  /** Part of the logger's name, in any case. */
  readonly logger?: string | undefined;
  /** Full name of a resource. */
  readonly resource?: string | undefined;
  /** Part of the message or of the fields as JSON, in any case. */
  readonly text?: string | undefined;
  /** Wall-clock milliseconds: from, and before. */
  readonly startMs?: number | undefined;
  readonly endMs?: number | undefined;
  /** Sequence numbers: after, and before. */
  readonly afterSeq?: number | undefined;
  readonly beforeSeq?: number | undefined;
}

/** One page of the log. */
export interface LogPage {
  /** Oldest first. */
  readonly entries: readonly LogEntry[];
  /** Pass it as `beforeSeq` for the previous page; undefined if there is none. */
  readonly olderBeforeSeq: number | undefined;
  /** Sentences that name what could not be read. */
  readonly unreadable: readonly string[];
  /** Time of the oldest entry examined; undefined if there was none. */
  readonly searchedTo: number | undefined;
}

/** Returns whether an entry matches a filter. */
export function matcherOf(filter: LogFilter): (entry: LogEntry) => boolean {
  const levels =
    filter.levels === undefined || filter.levels.length === 0 ? undefined : new Set(filter.levels.map(rankOf));
  const logger = filter.logger?.toLowerCase();
  const text = filter.text?.toLowerCase();
  return (entry) => {
    if (levels !== undefined && !levels.has(rankOf(entry.level))) return false;
    if (filter.resource !== undefined && entry.resource !== filter.resource) return false;
    if (filter.startMs !== undefined && entry.time < filter.startMs) return false;
    if (filter.endMs !== undefined && entry.time >= filter.endMs) return false;
    if (filter.afterSeq !== undefined && entry.seq <= filter.afterSeq) return false;
    if (filter.beforeSeq !== undefined && entry.seq >= filter.beforeSeq) return false;
    if (logger !== undefined && !entry.logger.toLowerCase().includes(logger)) return false;
    if (text === undefined) return true;
    return entry.message.toLowerCase().includes(text) || JSON.stringify(entry.fields).toLowerCase().includes(text);
  };
}
