import type { Clock } from '../../base/clock.ts';
import type { LogFilter, LogPage } from './log-filter.ts';
import type { LogHistory } from './log-history.ts';
import type { LogStore } from './log-store.ts';

/** Longest wait for what was just logged to reach the disk, milliseconds. */
const SETTLE_MS = 200;

/** The log back over starts of the program: the latest entries from memory, what is older from the store. */
export class LogPast {
  readonly #history: LogHistory;
  readonly #store: LogStore | undefined;
  readonly #clock: Clock;

  constructor(history: LogHistory, store: LogStore | undefined, clock: Clock) {
    this.#history = history;
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * The latest entries that match, at most `limit`, all before `beforeSeq`
   * where that is given. A page may be short, or empty, and still have one
   * before it: see {@link LogStore.query}.
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

  /** What a burst has pushed out of memory may still be on its way to the disk. */
  async #settled(store: LogStore): Promise<void> {
    let timer: { cancel(): void } | undefined;
    const limit = new Promise<void>((resolve) => (timer = this.#clock.after(SETTLE_MS, resolve)));
    await Promise.race([store.drained(), limit]);
    timer?.cancel();
  }
}
