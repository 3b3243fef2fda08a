import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Clock } from '../../../base/clock.ts';
import { toArmatureError } from '../../../base/errors.ts';
import { lockFolder } from '../../../base/files/folder-lock.ts';
import type { LogLevel } from '../../../base/logger.ts';
import type { LogEntry, LogSink } from '../log-entry.ts';
import type { LogFilter, LogPage } from '../log-filter.ts';
import { LineWriter } from '../sinks/line-writer.ts';
import { seqAfterLegacy, legacyFiles } from './legacy-log.ts';
import { DATABASE_FILE } from './log-corruption.ts';
import { LogDatabase } from './log-database.ts';
import { CLAIM_SIZE, SequenceNumbers } from './sequence-numbers.ts';
import type { LogCalls, LogStoreLimits, LogRange } from './log-protocol.ts';
import { LogTail, TAIL_FILE } from './log-tail.ts';
import { LogWorker } from './log-worker.ts';
import { toStoredLine } from './stored-line.ts';

/** Time limit for the search of one page, milliseconds; then the page contains what was found so far. */
const PAGE_MS = 150;
/** Most characters of the entries in one page. */
const PAGE_CHARS = 4 * 1024 * 1024;
/** Least time between two transactions, milliseconds: each writes 8 kB, for one line as for twenty. */
const GATHER_MS = 20;
/** Delay of the first lines, milliseconds, because storing them would delay the start. */
const START_MS = 500;

/**
 * Folder of a machine's stored log below the home, one per configuration file, so that machines with the same home are
 * kept apart.
 */
export function logFolder(home: string, configPath: string): string {
  const full = path.resolve(configPath);
  const name = path.basename(full, path.extname(full)).replace(/[^\w.-]/g, '_');
  const hash = createHash('sha256').update(full).digest('hex').slice(0, 8);
  return path.join(home, 'logs', `${name}-${hash}`);
}

/**
 * Opens the stored log, and creates its folder if it is missing. The thread opens the database with the first lines, so
 * a start does not wait for it.
 * @param onTrouble called once when a failure starts: sentences for people
 * @returns the store, or why there is none: a sentence for people
 */
export function openLogStore(
  folder: string,
  limits: LogStoreLimits,
  clock: Clock,
  onTrouble: (message: string) => void,
): LogStore | { readonly reason: string } {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const lock = lockFolder(folder);
    if (typeof lock === 'object') {
      return { reason: `${folder} is in use by process ${lock.heldBy}, which serves the same configuration.` };
    }
    try {
      return new LogStore(folder, limits, lock, clock, onTrouble);
    } catch (thrown) {
      lock();
      throw thrown;
    }
  } catch (thrown) {
    return { reason: `${folder} cannot be used (${toArmatureError(thrown).message}).` };
  }
}

/** The id of a log, created with it. Throws errors of the file system. */
function idOf(file: string): string {
  try {
    const known = readFileSync(file, 'utf8').trim();
    if (known !== '') return known;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
  }
  const id = randomUUID();
  writeFileSync(file, `${id}\n`, { mode: 0o600 });
  return id;
}

/**
 * The first number of a log that does not record it: the entries of an earlier version come first, and so do its own
 * stored lines.
 */
function firstUnknown(folder: string, clock: Clock): number {
  const earlier = seqAfterLegacy(folder, CLAIM_SIZE) ?? 1;
  const hasLines = [DATABASE_FILE, TAIL_FILE].some((name) => existsSync(path.join(folder, name)));
  // Microseconds since 1970 are greater than the numbers of any log.
  return hasLines ? Math.max(earlier, clock.now() * 1_000) : earlier;
}

/** The log on disk: written as a sink, read in pages backward from the latest, and forward from a number. */
export class LogStore implements LogSink {
  readonly name: string;
  /** The first number of this run's entries. */
  readonly nextSeq: number;
  /** Identifies this log: another one may use the same numbers. */
  readonly id: string;
  readonly #file: string;
  readonly #limits: LogStoreLimits;
  readonly #numbers: SequenceNumbers;
  readonly #tail: LogTail;
  /** The store has no entries before those in the tail. */
  readonly #hasNoneBefore: boolean;
  readonly #worker: LogWorker;
  /** Settles when the last line was added to the tail, or that failed. */
  #adding: Promise<void> = Promise.resolve();
  /** Whether the thread was started: from then on it owns the tail. */
  #hasThread = false;
  readonly #writer: LineWriter;
  readonly #release: () => void;
  readonly #clock: Clock;
  #lastSeq: number;

  constructor(
    folder: string,
    limits: LogStoreLimits,
    release: () => void,
    clock: Clock,
    onTrouble: (message: string) => void,
  ) {
    this.name = `the stored log ${folder}`;
    this.#file = path.join(folder, DATABASE_FILE);
    this.#limits = limits;
    this.#release = release;
    this.#clock = clock;
    this.id = idOf(path.join(folder, 'id'));
    this.#numbers = new SequenceNumbers(folder, () => firstUnknown(folder, clock));
    this.nextSeq = this.#numbers.first;
    this.#lastSeq = this.nextSeq - 1;
    this.#tail = new LogTail(folder, limits.tailBytes);
    this.#hasNoneBefore = !existsSync(this.#file) && legacyFiles(folder).length === 0;
    this.#worker = new LogWorker({ folder, limits }, onTrouble);
    const target = {
      write: (text: string) => this.#writeLines(text),
      writeSync: (text: string) => this.#writeLastWords(text),
      close: () => undefined,
    };
    this.#writer = new LineWriter(this.name, target, onTrouble, toStoredLine, {
      clock,
      ms: GATHER_MS,
      firstMs: START_MS,
    });
  }

  write(entry: LogEntry): void {
    this.#lastSeq = entry.seq;
    this.#numbers.use(entry.seq);
    this.#writer.write(entry);
  }

  flushSync(): void {
    this.#writer.flushSync();
  }

  /** Settles when all earlier entries are stored, or that failed. */
  drained(): Promise<void> {
    return this.#writer.drained();
  }

  async close(): Promise<void> {
    await this.#writer.close();
    this.#numbers.end(this.#lastSeq);
    await this.#worker.close();
    this.#release();
  }

  /**
   * The latest matching stored entries, at most `limit`, all before `beforeSeq`. Reads in steps and stops after a time
   * limit: a page may be short or empty, and there may still be a previous one.
   */
  async query(filter: LogFilter, limit: number, beforeSeq: number, signal: AbortSignal): Promise<LogPage> {
    const endsAt = this.#clock.monotonic() + PAGE_MS;
    const entries: LogEntry[] = [];
    const unreadable = new Set<string>();
    let [before, chars] = [beforeSeq, 0];
    let searchedTo: number | undefined;
    for (;;) {
      const ask = { filter, limit: limit - entries.length, maxChars: PAGE_CHARS - chars, beforeSeq: before };
      let result;
      try {
        result = await this.#ask('search', ask);
      } catch (thrown) {
        unreadable.add(toArmatureError(thrown).message);
        return { entries: entries.reverse(), olderBeforeSeq: undefined, unreadable: [...unreadable], searchedTo };
      }
      entries.push(...result.entries);
      for (const sentence of result.unreadable) unreadable.add(sentence);
      before = result.beforeSeq;
      chars += result.chars;
      searchedTo = result.searchedTo ?? searchedTo;
      const isOver = entries.length >= limit || chars >= PAGE_CHARS || signal.aborted;
      if (!result.isEnd && !isOver && this.#clock.monotonic() < endsAt) continue;
      const olderBeforeSeq = result.isEnd ? undefined : before;
      return { entries: entries.reverse(), olderBeforeSeq, unreadable: [...unreadable], searchedTo };
    }
  }

  /**
   * The entries after a number in order, at most `most` and few enough to be cheap; entries deleted in the meantime are
   * left out. If there are none, `lastSeq` is `afterSeq`. Waits until the log of an earlier version is imported.
   * @throws {ArmatureError} `file.unreadable`
   */
  async after(afterSeq: number, levels: ReadonlySet<LogLevel>, most: number): Promise<LogRange> {
    const newest = await this.#newestAfter(afterSeq);
    if (newest !== undefined) {
      const entries = newest.slice(0, most);
      return { entries: entries.filter(({ level }) => levels.has(level)), lastSeq: entries.at(-1)?.seq ?? afterSeq };
    }
    return this.#ask('range', { afterSeq, levels, most });
  }

  /**
   * Approximate number of characters stored after a number.
   * @throws {ArmatureError} `file.unreadable`
   */
  async charsBehind(afterSeq: number): Promise<number> {
    if ((await this.#newestAfter(afterSeq)) !== undefined) return 0;
    return this.#ask('charsBehind', afterSeq);
  }

  #writeLines(text: string): Promise<void> {
    if (this.#hasThread || !this.#tail.hasRoomFor(text)) return this.#ask('write', text);
    const adding = this.#tail.add(text);
    this.#adding = adding.catch(() => undefined);
    return adding;
  }

  /** All entries after a number, if they are in the tail and the thread is not needed; else undefined. */
  async #newestAfter(afterSeq: number): Promise<readonly LogEntry[] | undefined> {
    if (this.#hasThread) return undefined;
    await this.#adding;
    const lines = await this.#tail.read().catch(() => undefined);
    // The thread was started in the meantime, and may have imported the tail.
    if (lines === undefined || this.#hasThread) return undefined;
    const isWhole = this.#hasNoneBefore || (lines[0]?.seq ?? Infinity) <= afterSeq + 1;
    return isWhole ? lines.filter(({ seq }) => seq > afterSeq) : undefined;
  }

  /** Nothing is added to the tail during or after its import by the thread. */
  async #ask<Kind extends keyof LogCalls>(kind: Kind, ask: LogCalls[Kind]['ask']): Promise<LogCalls[Kind]['answer']> {
    this.#hasThread = true;
    await this.#adding;
    return this.#worker.ask(kind, ask);
  }

  /** Uses a separate connection: the thread may be storing the same lines; each is still stored only once. */
  #writeLastWords(text: string): void {
    if (!this.#hasThread) {
      this.#tail.addSync(text);
      return;
    }
    const database = new LogDatabase(this.#file, this.#limits);
    try {
      database.insertSynced(text);
    } finally {
      database.close();
    }
  }
}
