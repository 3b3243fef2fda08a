import { AsyncQueue } from '../../base/async/async-queue.ts';
import type { LogEntry } from './log-entry.ts';
import { matcherOf, type LogFilter, type LogPage } from './log-filter.ts';

/** What a subscriber reads: entries, and how many it missed if it was too slow. */
export type LogEvent =
  { readonly kind: 'entry'; readonly entry: LogEntry } | { readonly kind: 'gap'; readonly dropped: number };

export interface LogSubscription {
  readonly events: AsyncIterable<LogEvent>;
  /** Events ready to be read: while there are any, a reader may combine them. */
  readonly waiting: number;
  close(): void;
}

/** Entries that may wait for one subscriber; further ones are dropped for it and counted. */
export const SUBSCRIBER_LIMIT = 1_000;

/** The latest entries, in memory, and their subscribers. */
export class LogHistory {
  readonly #capacity: number;
  readonly #ring: (LogEntry | undefined)[];
  #next = 0;
  #size = 0;
  #lastSeq = 0;
  readonly #subscribers = new Set<Subscriber>();

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#ring = [];
  }

  get size(): number {
    return this.#size;
  }

  get subscribers(): number {
    return this.#subscribers.size;
  }

  /** Number of the newest entry; 0 before the first. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** Number of the oldest entry in memory; undefined if there is none. */
  get oldestSeq(): number | undefined {
    return this.#at(this.#size)?.seq;
  }

  push(entry: LogEntry): void {
    this.#lastSeq = entry.seq;
    this.#ring[this.#next] = entry;
    this.#next = (this.#next + 1) % this.#capacity;
    if (this.#size < this.#capacity) this.#size++;
    for (const subscriber of this.#subscribers) {
      if (!subscriber.offer(entry)) this.#subscribers.delete(subscriber);
    }
  }

  /** The latest entries that match, at most `limit`, all older than `beforeSeq` if given. */
  query(filter: LogFilter, limit: number, beforeSeq: number | undefined): LogPage {
    const matches = matcherOf(filter);
    const found: LogEntry[] = [];
    let searchedTo: number | undefined;
    for (let age = 1; age <= this.#size; age++) {
      const entry = this.#at(age);
      if (entry === undefined) break;
      if (beforeSeq !== undefined && entry.seq >= beforeSeq) continue;
      searchedTo = entry.time;
      if (!matches(entry)) continue;
      if (found.length === limit) {
        return { entries: found.reverse(), olderBeforeSeq: found[0]?.seq, unreadable: [], searchedTo };
      }
      found.push(entry);
    }
    return { entries: found.reverse(), olderBeforeSeq: undefined, unreadable: [], searchedTo };
  }

  /** The entries in memory after a number, oldest first. */
  after(afterSeq: number): LogEntry[] {
    const found: LogEntry[] = [];
    for (let age = 1; age <= this.#size; age++) {
      const entry = this.#at(age);
      if (entry === undefined || entry.seq <= afterSeq) break;
      found.push(entry);
    }
    return found.reverse();
  }

  /** Follows new entries. A subscriber that reads too slowly loses entries and is told how many. */
  subscribe(filter: LogFilter): LogSubscription {
    const subscriber = new Subscriber(matcherOf(filter));
    this.#subscribers.add(subscriber);
    return {
      events: subscriber.queue,
      get waiting() {
        return subscriber.queue.size;
      },
      close: () => {
        subscriber.queue.end();
        this.#subscribers.delete(subscriber);
      },
    };
  }

  /** The entry at this position from the newest, which is 1. */
  #at(age: number): LogEntry | undefined {
    return age < 1 ? undefined : this.#ring[(this.#next - age + this.#capacity) % this.#capacity];
  }
}

class Subscriber {
  readonly queue: AsyncQueue<LogEvent>;
  readonly #matches: (entry: LogEntry) => boolean;
  #dropped = 0;

  constructor(matches: (entry: LogEntry) => boolean) {
    this.#matches = matches;
    this.queue = new AsyncQueue<LogEvent>(() => this.#tellGap());
  }

  /** False if the reader has left. */
  offer(entry: LogEntry): boolean {
    if (this.queue.isEnded) return false;
    if (!this.#matches(entry)) return true;
    // Newer entries must wait until the gap is reported.
    if (this.#dropped > 0 || this.queue.size >= SUBSCRIBER_LIMIT) this.#dropped++;
    else this.queue.push({ kind: 'entry', entry });
    return true;
  }

  /** Reported after everything in the queue; then entries are queued again. */
  #tellGap(): void {
    if (this.#dropped === 0 || this.queue.size >= SUBSCRIBER_LIMIT) return;
    const dropped = this.#dropped;
    this.#dropped = 0;
    this.queue.push({ kind: 'gap', dropped });
  }
}
