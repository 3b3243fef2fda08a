import type { Clock, Timer } from '../../base/clock.ts';

/** Something with a deadline. */
export interface Expiring {
  /** Monotonic milliseconds. */
  readonly deadline: number | undefined;
  /** Position in the queue; used only by the queue. */
  deadlineBucket: Set<Expiring> | undefined;
  /** Called once when the deadline has passed. */
  expire(): void;
}

const FINE_MS = 5;
const COARSE_MS = 1_000;
/** Deadlines nearer than this are kept in fine buckets. */
const FINE_SPAN_MS = 2_000;

/**
 * The deadlines of all calls behind one timer. Entries lie in buckets by time,
 * so that adding and removing cost the same however many calls are under way;
 * far deadlines lie in coarse buckets and are sorted finer when those fall due.
 * A deadline is met up to 5 ms late, never early.
 */
export class DeadlineQueue {
  readonly #clock: Clock;
  readonly #buckets = new Map<number, Set<Expiring>>();
  #timer: Timer | undefined;
  #timerAt = Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Number of waiting entries. */
  get size(): number {
    let size = 0;
    for (const bucket of this.#buckets.values()) size += bucket.size;
    return size;
  }

  /** Adds an entry, or moves it after its deadline changed. */
  add(entry: Expiring): void {
    const { deadline } = entry;
    if (deadline === undefined) return;
    this.remove(entry);
    this.#place(entry, deadline, this.#clock.monotonic());
  }

  remove(entry: Expiring): void {
    entry.deadlineBucket?.delete(entry);
    entry.deadlineBucket = undefined;
  }

  dispose(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#buckets.clear();
  }

  #place(entry: Expiring, deadline: number, now: number): void {
    const coarse = deadline - now > FINE_SPAN_MS;
    // A coarse bucket falls due before its entries do: they then move to fine ones.
    const at = coarse ? Math.floor(deadline / COARSE_MS) * COARSE_MS : Math.ceil(deadline / FINE_MS) * FINE_MS;
    let bucket = this.#buckets.get(at);
    if (bucket === undefined) {
      bucket = new Set();
      this.#buckets.set(at, bucket);
      if (at < this.#timerAt) this.#arm(at, now);
    }
    bucket.add(entry);
    entry.deadlineBucket = bucket;
  }

  #arm(at: number, now: number): void {
    this.#timer?.cancel();
    this.#timerAt = at;
    this.#timer = this.#clock.after(Math.max(0, Math.ceil(at - now)), () => this.#sweep());
  }

  #sweep(): void {
    const now = this.#clock.monotonic();
    this.#timer = undefined;
    this.#timerAt = Infinity;
    const due: Expiring[] = [];
    let next = Infinity;
    for (const [at, bucket] of this.#buckets) {
      if (at <= now) {
        this.#buckets.delete(at);
        for (const entry of bucket) due.push(entry);
      } else if (bucket.size === 0) {
        this.#buckets.delete(at);
      } else {
        next = Math.min(next, at);
      }
    }
    if (next !== Infinity) this.#arm(next, now);
    for (const entry of due) {
      // An entry that expired before may have removed or moved this one.
      if (entry.deadlineBucket === undefined) continue;
      this.remove(entry);
      const { deadline } = entry;
      if (deadline === undefined) continue;
      if (deadline > now) this.#place(entry, deadline, now);
      else entry.expire();
    }
  }
}
