import { closeSync, openSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { systemClock, type Clock } from '../../../base/clock.ts';
import type { LogEntry } from '../log-entry.ts';
import { LogAge } from './log-age.ts';
import type { LogStoreLimits } from './log-protocol.ts';
import { INSERT_LINE, levelBit, numberOf, SCHEMA, valuesOf, type Row } from './log-rows.ts';
import { fromStoredLine } from './stored-line.ts';

/** A span is full after so many lines or characters, or after so long by the log's own time. */
const SPAN_LINES = 1_000;
const SPAN_CHARS = 1024 * 1024;
const SPAN_MS = 3_600_000;
/** Most spans deleted when one is added: deleting is spread over the writes. */
const MAX_SPANS_GONE = 20;
/** How long to wait for the other connection, which writes a program's last entries. */
const BUSY_TIMEOUT_MS = 2_000;
const LAST_WORDS_TIMEOUT_MS = 500;

/** A span while lines are added to it: a row of `spans`. */
interface Span {
  readonly first: number;
  /** First number of the next span. */
  readonly end: number;
  readonly began: number;
  lines: number;
  chars: number;
  from: number;
  to: number;
  levels: number;
}

/**
 * The file of the stored log, and its writer. Synchronous, so it belongs in a separate thread, except for the last
 * entries of a crashing program. All methods throw errors of SQLite.
 */
export class LogDatabase {
  readonly sqlite: DatabaseSync;
  readonly #limits: LogStoreLimits;
  readonly #age: LogAge;
  readonly #insert: StatementSync;
  readonly #spanAt: StatementSync;
  readonly #spanAfter: StatementSync;
  readonly #lineWithin: StatementSync;
  readonly #putSpan: StatementSync;
  readonly #oldest: StatementSync;
  readonly #pages: StatementSync;
  readonly #dropLines: StatementSync;
  readonly #dropSpan: StatementSync;

  constructor(file: string, limits: LogStoreLimits, clock: Pick<Clock, 'now' | 'monotonic'> = systemClock) {
    // The write-ahead log gets its access rights from this file.
    closeSync(openSync(file, 'a', 0o600));
    this.sqlite = new DatabaseSync(file);
    try {
      this.sqlite.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; PRAGMA journal_mode = WAL`);
      // Only checkpoints wait for the disk: a power cut may lose the last seconds, a kill loses nothing.
      this.sqlite.exec(`PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 8388608; ${SCHEMA}`);
      this.#limits = limits;
      const known = this.sqlite.prepare('SELECT age, wall FROM spans ORDER BY age DESC LIMIT 1').get();
      const age = numberOf(known, 'age');
      this.#age = new LogAge(age === undefined ? undefined : { age, wall: numberOf(known, 'wall') ?? 0 }, clock);
      const prepare = (sql: string): StatementSync => this.sqlite.prepare(sql);
      this.#insert = prepare(INSERT_LINE);
      this.#spanAt = prepare('SELECT * FROM spans WHERE first_seq <= ? ORDER BY first_seq DESC LIMIT 1');
      this.#spanAfter = prepare('SELECT min(first_seq) AS first FROM spans WHERE first_seq > ?');
      this.#lineWithin = prepare('SELECT 1 AS found FROM lines WHERE seq > ? AND seq < ? LIMIT 1');
      this.#putSpan = prepare('INSERT OR REPLACE INTO spans VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)');
      this.#oldest = prepare('SELECT first_seq, age FROM spans ORDER BY first_seq LIMIT 2');
      this.#pages = prepare(
        'SELECT (SELECT page_count FROM pragma_page_count) - (SELECT freelist_count FROM pragma_freelist_count) AS used, ' +
          '(SELECT page_size FROM pragma_page_size) AS bytes',
      );
      this.#dropLines = prepare('DELETE FROM lines WHERE seq < ?');
      this.#dropSpan = prepare('DELETE FROM spans WHERE first_seq < ?');
    } catch (thrown) {
      this.sqlite.close();
      throw thrown;
    }
  }

  /**
   * Stores lines of `stored-line.ts`, all of them or none. Skips invalid lines, and those stored already. Deletes lines
   * that are too old, and more if there is too little space.
   * @returns whether lines were deleted early
   */
  insert(text: string): boolean {
    const entries = text.split('\n').flatMap((line) => fromStoredLine(line) ?? []);
    if (entries.length === 0) return false;
    entries.sort((one, other) => one.seq - other.seq);
    this.sqlite.exec('BEGIN IMMEDIATE');
    try {
      this.#insertAll(entries);
      const hasLostYoung = this.#deleteExpired();
      this.sqlite.exec('COMMIT');
      return hasLostYoung;
    } catch (thrown) {
      this.#rollBack();
      throw thrown;
    }
  }

  /**
   * The same for the last entries of a crashing program: they are on the disk when it returns, and it waits less for
   * the other connection.
   */
  insertSynced(text: string): void {
    this.sqlite.exec(`PRAGMA synchronous = FULL; PRAGMA busy_timeout = ${LAST_WORDS_TIMEOUT_MS}`);
    this.insert(text);
  }

  /** Flushes everything to the disk. */
  sync(): void {
    this.sqlite.exec('PRAGMA wal_checkpoint(FULL)');
  }

  close(): void {
    this.sqlite.close();
  }

  #rollBack(): void {
    try {
      this.sqlite.exec('ROLLBACK');
    } catch {
      // A full disk or a damaged file has rolled it back already; its cause is being thrown.
    }
  }

  #insertAll(entries: readonly LogEntry[]): void {
    let span: Span | undefined;
    for (const entry of entries) {
      const fields = JSON.stringify(entry.fields);
      // The span of a stored line covers it already.
      if (this.#insert.run(...valuesOf(entry, fields)).changes === 0) continue;
      if (span === undefined || entry.seq >= span.end || this.#isFull(span)) {
        if (span !== undefined) this.#put(span);
        span = this.#spanFor(entry);
      }
      span.lines++;
      span.chars += entry.message.length + fields.length;
      span.from = Math.min(span.from, entry.time);
      span.to = Math.max(span.to, entry.time);
      span.levels |= levelBit(entry.level);
    }
    if (span !== undefined) this.#put(span);
  }

  /** The span of a line; a new one if the previous one is full. */
  #spanFor({ seq, time }: LogEntry): Span {
    const end = numberOf(this.#spanAfter.get(seq), 'first') ?? Infinity;
    const known = this.#spanAt.get(seq);
    if (known !== undefined) {
      const span = spanOf(known, end);
      // A span that started here would cover the following lines without knowing their contents.
      if (!this.#isFull(span) || this.#lineWithin.get(seq, end) !== undefined) return span;
    }
    const { age } = this.#age.now();
    return { first: seq, end, began: age, lines: 0, chars: 0, from: time, to: time, levels: 0 };
  }

  #isFull({ lines, chars, began }: Span): boolean {
    return lines >= SPAN_LINES || chars >= SPAN_CHARS || this.#age.now().age - began >= SPAN_MS;
  }

  #put({ first, lines, chars, from, to, levels, began }: Span): void {
    const { age, wall } = this.#age.now();
    this.#putSpan.run(first, lines, chars, from, to, levels, began, age, wall);
  }

  #deleteExpired(): boolean {
    let hasLostYoung = false;
    for (let count = 0; count < MAX_SPANS_GONE; count++) {
      const [oldest, next] = this.#oldest.all();
      const end = numberOf(next, 'first_seq');
      if (end === undefined) break;
      const isOld = this.#age.now().age - (numberOf(oldest, 'age') ?? 0) >= this.#limits.keepMs;
      if (!isOld && this.#usedBytes() <= this.#limits.maxBytes) break;
      hasLostYoung ||= !isOld;
      this.#dropLines.run(end);
      this.#dropSpan.run(end);
    }
    return hasLostYoung;
  }

  #usedBytes(): number {
    const row = this.#pages.get();
    return (numberOf(row, 'used') ?? 0) * (numberOf(row, 'bytes') ?? 0);
  }
}

function spanOf(row: Row, end: number): Span {
  const read = (column: string): number => numberOf(row, column) ?? 0;
  return {
    first: read('first_seq'),
    end,
    began: read('began'),
    lines: read('lines'),
    chars: read('chars'),
    from: read('min_time'),
    to: read('max_time'),
    levels: read('levels'),
  };
}
