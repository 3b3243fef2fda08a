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

/** Most characters of the entries in one page. */
const PAGE_CHARS = 1024 * 1024;
/** How long to wait for a server that writes. */
const BUSY_TIMEOUT_MS = 2_000;

/**
 * Matching entries of a stored log in pages, newest page first. Reads the files without changing them: for programs
 * other than the server, also while the server runs or hangs. The log of an earlier version is not included.
 * Synchronous internally. Throws errors of the file system and of SQLite.
 */
export function* readStoredLog(folder: string, filter: LogFilter): Generator<Pick<LogPage, 'entries' | 'unreadable'>> {
  const newest = tailOf(folder).filter(matcherOf(filter));
  if (newest.length > 0) yield { entries: newest, unreadable: [] };
  const file = path.join(folder, DATABASE_FILE);
  if (!existsSync(file)) return;
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    // Between the two reads, a server may have moved the tail to its database.
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
