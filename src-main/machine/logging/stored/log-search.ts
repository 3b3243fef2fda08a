import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { toArmatureError } from '../../../base/errors.ts';
import { rankOf, type LogEntry } from '../log-entry.ts';
import { matcherOf, type LogFilter } from '../log-filter.ts';
import type { LogRange, SearchResult, SearchRequest, RangeRequest } from './log-protocol.ts';
import { charsOf, entryOf, levelBit, numberOf, type Row } from './log-rows.ts';

/** Spans read in one step: a few milliseconds, then new entries can be written. */
const PIECE_SPANS = 4;
/** Most characters of the entries in one range. */
const RANGE_CHARS = 1024 * 1024;

/** SQLite ignores case only for these letters. */
const ASCII = /^[\u0001-\u007f]*$/;

interface Condition {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

/** The condition for SQLite. Its results are filtered again: it may return too many entries, never too few. */
function conditionOf(filter: LogFilter): Condition {
  const parts: string[] = [];
  const values: SQLInputValue[] = [];
  const add = (sql: string, ...more: SQLInputValue[]): void => {
    parts.push(` AND ${sql}`);
    values.push(...more);
  };
  const { levels, logger, resource, text, startMs, endMs } = filter;
  if (levels !== undefined && levels.length > 0) add(`level IN (${levels.map(rankOf).join(', ')})`);
  if (resource !== undefined) add('resource = ?', resource);
  if (startMs !== undefined) add('time >= ?', startMs);
  if (endMs !== undefined) add('time < ?', endMs);
  if (logger !== undefined && ASCII.test(logger)) add(`logger LIKE ? ESCAPE '!'`, patternOf(logger));
  if (text !== undefined && ASCII.test(text)) {
    const pattern = patternOf(text);
    add(`(message LIKE ? ESCAPE '!' OR fields LIKE ? ESCAPE '!')`, pattern, pattern);
  }
  return { sql: parts.join(''), values };
}

function patternOf(text: string): string {
  return `%${text.replace(/[!%_]/g, '!$&')}%`;
}

/** Whether a span may contain matches. */
function mayHold(span: Row, { levels, startMs, endMs }: LogFilter): boolean {
  const held = numberOf(span, 'levels') ?? 0;
  if (levels !== undefined && levels.length > 0 && !levels.some((level) => (held & levelBit(level)) !== 0))
    return false;
  if (startMs !== undefined && (numberOf(span, 'max_time') ?? Infinity) < startMs) return false;
  return endMs === undefined || (numberOf(span, 'min_time') ?? -Infinity) < endMs;
}

/** One step of a search backward from a number. Throws errors of SQLite if not even the index can be read. */
export function searchLog(sqlite: DatabaseSync, file: string, request: SearchRequest): SearchResult {
  const { filter, limit, maxChars } = request;
  const { afterSeq = -1 } = filter;
  const startsBefore = Math.min(request.beforeSeq, filter.beforeSeq ?? Infinity);
  const { sql, values } = conditionOf(filter);
  const lines = sqlite.prepare(`SELECT * FROM lines WHERE seq >= ? AND seq < ?${sql} ORDER BY seq DESC`);
  const spans = sqlite.prepare('SELECT * FROM spans WHERE first_seq < ? ORDER BY first_seq DESC');
  const matches = matcherOf(filter);
  const entries: LogEntry[] = [];
  const unreadable: string[] = [];
  let [chars, looked, before] = [0, 0, startsBefore];

  const isFull = (): boolean => entries.length >= limit || chars >= maxChars;
  const take = (first: number): void => {
    for (const row of lines.iterate(Math.max(first, afterSeq + 1), before, ...values)) {
      const entry = entryOf(row);
      if (!matches(entry)) continue;
      entries.push(entry);
      chars += charsOf(row);
      if (isFull()) {
        before = entry.seq;
        return;
      }
    }
    before = first;
  };

  let isEnd = true;
  for (const span of spans.iterate(startsBefore)) {
    if (before <= afterSeq + 1) break;
    const first = numberOf(span, 'first_seq') ?? 0;
    if (mayHold(span, filter)) {
      if (looked++ === PIECE_SPANS) isEnd = false;
      else {
        try {
          take(first);
        } catch (thrown) {
          unreadable.push(`${file}, lines from ${first} on: ${toArmatureError(thrown).message}`);
          before = first;
        }
        isEnd = !isFull();
      }
    } else before = first;
    if (!isEnd) break;
  }
  if (isFull()) isEnd = !hasBetween(sqlite, afterSeq, before);
  return { entries, chars, beforeSeq: before, isEnd, searchedTo: timeFrom(sqlite, before, startsBefore), unreadable };
}

function hasBetween(sqlite: DatabaseSync, after: number, before: number): boolean {
  return sqlite.prepare('SELECT 1 FROM lines WHERE seq > ? AND seq < ? LIMIT 1').get(after, before) !== undefined;
}

/** Time of the first line in a range of numbers. */
function timeFrom(sqlite: DatabaseSync, from: number, before: number): number | undefined {
  try {
    const statement = sqlite.prepare('SELECT time FROM lines WHERE seq >= ? AND seq < ? ORDER BY seq LIMIT 1');
    return numberOf(statement.get(from, before), 'time');
  } catch {
    return undefined; // the unreadable part was reported already
  }
}

/** The entries after a number, as far as one step goes. If there are none, `lastSeq` is that number. */
export function readRange(sqlite: DatabaseSync, { afterSeq, levels, most }: RangeRequest): LogRange {
  const ranks = [...levels].map(rankOf).join(', ');
  const end = endOfPiece(sqlite, afterSeq);
  const lines = sqlite.prepare(
    `SELECT * FROM lines WHERE seq > ? AND seq < ? AND level IN (${ranks}) ORDER BY seq LIMIT ?`,
  );
  const entries: LogEntry[] = [];
  let chars = 0;
  try {
    for (const row of lines.iterate(afterSeq, end, most)) {
      entries.push(entryOf(row));
      chars += charsOf(row);
      if (chars >= RANGE_CHARS) break;
    }
  } catch (thrown) {
    // A reader must not get stuck at a damaged part.
    if (end === Infinity) throw thrown;
    return { entries, lastSeq: end - 1 };
  }
  const last = entries.at(-1);
  if (last !== undefined && (entries.length === most || chars >= RANGE_CHARS)) return { entries, lastSeq: last.seq };
  const newest = sqlite.prepare('SELECT max(seq) AS seq FROM lines WHERE seq < ?').get(end);
  return { entries, lastSeq: Math.max(afterSeq, numberOf(newest, 'seq') ?? afterSeq) };
}

/** Where the step that starts after a number ends. */
function endOfPiece(sqlite: DatabaseSync, afterSeq: number): number {
  const spans = sqlite.prepare('SELECT first_seq FROM spans WHERE first_seq > ? ORDER BY first_seq LIMIT 1 OFFSET ?');
  return numberOf(spans.get(afterSeq + 1, PIECE_SPANS), 'first_seq') ?? Infinity;
}

/** Characters of the spans that start after a number. */
export function charsBehind(sqlite: DatabaseSync, afterSeq: number): number {
  const sum = sqlite.prepare('SELECT coalesce(sum(chars), 0) AS chars FROM spans WHERE first_seq > ?').get(afterSeq);
  return numberOf(sum, 'chars') ?? 0;
}
