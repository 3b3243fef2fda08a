import { randomUUID } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { LogLevel } from '../../base/logger.ts';
import { withTimeout } from '../../base/async/timeout.ts';
import type { LogRange } from './stored/log-protocol.ts';
import type { LogEntry } from './log-entry.ts';
import type { LogFilter, LogPage } from './log-filter.ts';
import type { LogHistory } from './log-history.ts';
import type { LogStore } from './stored/log-store.ts';
import { fromStoredLine, toStoredLine } from './stored/stored-line.ts';

/** Most characters of entries that are read ahead at once: a message can hold more. */
const RANGE_CHARS = 1024 * 1024;
/** Time limit for new entries to reach the disk, milliseconds. */
const SETTLE_MS = 200;

/** Reads the log across restarts of the program: the latest entries from memory, older ones from the store. */
export class LogReader {
  /** Identifies the log whose sequence numbers the entries have. */
  readonly id: string;
  readonly #history: LogHistory;
  readonly #store: LogStore | undefined;
  readonly #clock: Clock;
  /** Number from which the last read of the store failed. */
  #failedAfter: number | undefined;

  constructor(history: LogHistory, store: LogStore | undefined, clock: Clock) {
    this.#history = history;
    this.#store = store;
    this.#clock = clock;
    this.id = store?.id ?? randomUUID();
  }

  /**
   * The entries after a number in order, at most `most`; see {@link LogStore.after}. Memory also has entries that a
   * full disk did not store, so it is read first, as far back as it goes.
   */
  async after(afterSeq: number, levels: ReadonlySet<LogLevel>, most: number): Promise<LogRange> {
    const oldest = this.#history.oldestSeq ?? Infinity;
    if (this.#store !== undefined && oldest > afterSeq + 1) {
      await this.#settled(this.#store);
      const stored = await this.#stored(this.#store, afterSeq, levels, most);
      if (stored !== undefined && stored.lastSeq > afterSeq) return stored;
    }
    return this.#remembered(afterSeq, levels, most);
  }

  /**
   * Approximate number of stored characters after a number; 0 if memory has the entries, or the store cannot be read.
   */
  async charsBehind(afterSeq: number): Promise<number> {
    if ((this.#history.oldestSeq ?? Infinity) <= afterSeq + 1) return 0;
    return (await this.#store?.charsBehind(afterSeq).catch(() => 0)) ?? 0;
  }

  /**
   * The latest matching entries, at most `limit`, all before `beforeSeq` if given. A page may be short or empty, and
   * there may still be a previous one: see {@link LogStore.query}.
   */
  async query(filter: LogFilter, limit: number, beforeSeq: number | undefined, signal: AbortSignal): Promise<LogPage> {
    const recent = this.#history.query(filter, limit, beforeSeq);
    const store = this.#store;
    if (store === undefined || recent.olderBeforeSeq !== undefined) return recent;
    const oldestInMemory = this.#history.oldestSeq ?? Infinity;
    if (filter.afterSeq !== undefined && filter.afterSeq >= oldestInMemory - 1) return recent;
    const storedBefore = Math.min(beforeSeq ?? Infinity, filter.beforeSeq ?? Infinity, oldestInMemory);
    const wanted = limit - recent.entries.length;
    if (wanted === 0) return { ...recent, olderBeforeSeq: recent.entries[0]?.seq };
    await this.#settled(store);
    const stored = await store.query(filter, wanted, storedBefore, signal);
    return {
      entries: [...stored.entries, ...recent.entries],
      olderBeforeSeq: stored.olderBeforeSeq,
      unreadable: stored.unreadable,
      searchedTo: stored.searchedTo ?? recent.searchedTo,
    };
  }

  /**
   * Undefined if the store cannot be read twice in a row: a reader that waits for it would never get the entries in
   * memory.
   */
  async #stored(
    store: LogStore,
    afterSeq: number,
    levels: ReadonlySet<LogLevel>,
    most: number,
  ): Promise<LogRange | undefined> {
    try {
      const range = await store.after(afterSeq, levels, most);
      this.#failedAfter = undefined;
      return range;
    } catch (thrown) {
      if (this.#failedAfter === afterSeq) return undefined;
      this.#failedAfter = afterSeq;
      throw thrown;
    }
  }

  #remembered(afterSeq: number, levels: ReadonlySet<LogLevel>, most: number): LogRange {
    const entries: LogEntry[] = [];
    let lastSeq = afterSeq;
    let chars = 0;
    for (const entry of this.#history.after(afterSeq)) {
      if (levels.has(entry.level)) {
        // In the stored form: in memory, fields may be larger than any message.
        const line = toStoredLine(entry);
        chars += line.length;
        if (entries.length === most || (chars > RANGE_CHARS && entries.length > 0)) break;
        entries.push(fromStoredLine(line) ?? entry);
      }
      lastSeq = entry.seq;
    }
    return { entries, lastSeq };
  }

  /** Entries that a burst has pushed out of memory may not be on the disk yet. */
  async #settled(store: LogStore): Promise<void> {
    await withTimeout(() => store.drained(), { clock: this.#clock, ms: SETTLE_MS, onTimeout: () => undefined });
  }
}
