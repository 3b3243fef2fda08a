import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { codeOf } from '../../../base/errors.ts';
import type { LogEntry } from '../log-entry.ts';
import { matcherOf, type LogFilter, type LogPage } from '../log-filter.ts';
import { DATABASE_FILE } from './log-corruption.ts';
import { searchLog } from './log-search.ts';
import { TAIL_FILE } from './log-tail.ts';
import { fromStoredLine } from './stored-line.ts';

/** Text of the entries of one page at most, characters. */
const PAGE_CHARS = 1024 * 1024;
/** How long to wait for a server that writes. */
const BUSY_TIMEOUT_MS = 2_000;

/**
 * The entries of a stored log that match, in pages from the newest back, read from its files and without changing them:
 * for other programs than the server, also while that runs, or hangs. What an earlier version left is not among them.
 * Synchronous in itself. Throws as the file system and as SQLite do.
 */
export function* readStoredLog(folder: string, filter: LogFilter): Generator<Pick<LogPage, 'entries' | 'unreadable'>> {
  const newest = tailOf(folder).filter(matcherOf(filter));
  if (newest.length > 0) yield { entries: newest, unreadable: [] };
  const file = path.join(folder, DATABASE_FILE);
  if (!existsSync(file)) return;
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    // Between the two looks, a server may have taken the tail into its database.
    let beforeSeq = newest[0]?.seq ?? Infinity;
    for (let isEnd = false; !isEnd;) {
      const result = searchLog(database, file, { filter, limit: Infinity, maxChars: PAGE_CHARS, beforeSeq });
      ({ beforeSeq, isEnd } = result);
      yield { entries: result.entries.toReversed(), unreadable: result.unreadable };
    }
  } finally {
    database.close();
  }
}

function tailOf(folder: string): readonly LogEntry[] {
  try {
    const text = readFileSync(path.join(folder, TAIL_FILE), 'utf8');
    return text.split('\n').flatMap((line) => fromStoredLine(line) ?? []);
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return [];
    throw thrown;
  }
}
