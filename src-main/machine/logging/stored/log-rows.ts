import type { SQLOutputValue } from 'node:sqlite';
import { logLevels } from '../../../base/logger.ts';
import type { JsonValue } from '../../../apis/resource.ts';
import { rankOf, type LogEntry } from '../log-entry.ts';

/**
 * `lines` is the log. `spans` is its index: a span is a run of up to a thousand lines, from its first number to the
 * first number of the next span. A search skips spans that cannot contain what it looks for.
 */
export const SCHEMA = `
  CREATE TABLE IF NOT EXISTS lines (
    seq INTEGER PRIMARY KEY,
    time REAL NOT NULL,
    level INTEGER NOT NULL,
    logger TEXT NOT NULL,
    message TEXT NOT NULL,
    fields TEXT NOT NULL,
    resource TEXT,
    caller TEXT,
    repeat_count INTEGER NOT NULL,
    first_time REAL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS spans (
    first_seq INTEGER PRIMARY KEY,
    lines INTEGER NOT NULL,
    chars INTEGER NOT NULL,
    min_time REAL NOT NULL,
    max_time REAL NOT NULL,
    levels INTEGER NOT NULL,
    began REAL NOT NULL,
    age REAL NOT NULL,
    wall REAL NOT NULL
  ) STRICT;
`;

export const INSERT_LINE = 'INSERT OR IGNORE INTO lines VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)';

/** A row as node:sqlite returns it. */
export type Row = Record<string, SQLOutputValue>;

/** One bit for each level. */
export function levelBit(level: LogEntry['level']): number {
  return 1 << rankOf(level);
}

/** The values of a line, in the order of its columns. */
export function valuesOf(entry: LogEntry, fields: string): (string | number | null)[] {
  const { seq, time, level, logger, message, resource, caller, repeatCount, firstTime } = entry;
  const rank = rankOf(level);
  return [seq, time, rank, logger, message, fields, resource ?? null, caller ?? null, repeatCount, firstTime ?? null];
}

/** A column that holds a number. */
export function numberOf(row: Row | undefined, column: string): number | undefined {
  const value = row?.[column];
  return typeof value === 'number' ? value : undefined;
}

function textOf(row: Row, column: string): string | undefined {
  const value = row[column];
  return typeof value === 'string' ? value : undefined;
}

/** The entry of a row of `lines`. Throws for an invalid row: the file is damaged. */
export function entryOf(row: Row): LogEntry {
  const level = logLevels[numberOf(row, 'level') ?? -1];
  if (level === undefined) throw new Error('a line has no level');
  return {
    seq: numberOf(row, 'seq') ?? 0,
    time: numberOf(row, 'time') ?? 0,
    level,
    logger: textOf(row, 'logger') ?? '',
    message: textOf(row, 'message') ?? '',
    fields: JSON.parse(textOf(row, 'fields') ?? '{}') as Record<string, JsonValue>,
    resource: textOf(row, 'resource'),
    caller: textOf(row, 'caller'),
    repeatCount: numberOf(row, 'repeat_count') ?? 1,
    firstTime: numberOf(row, 'first_time'),
  };
}

/** Characters that determine the size of a row. */
export function charsOf(row: Row): number {
  return (textOf(row, 'message') ?? '').length + (textOf(row, 'fields') ?? '').length;
}
