import type { Clock } from '../../base/clock.ts';

/** Entries per second that one part may send continuously, and entries that it may send at once beyond that. */
const RATE_PER_S = 2_000;
const BURST_ENTRIES = 20_000;
/** Parts that are remembered before those without a backlog are dropped. */
const MAX_PARTS = 10_000;

/**
 * Limits how fast each part sends log entries. The answer to a part that sends more is delayed, and the part sends its
 * next batch only after the answer. Nothing is lost: the part queues its entries on its own disk.
 */
export class LogRateLimiter {
  readonly #clock: Clock;
  /** By part: the monotonic time, milliseconds, up to which {@link RATE_PER_S} covers the entries that it has sent. */
  readonly #paidUntil = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts these entries. @returns how long their answer is to be delayed, milliseconds */
  delayMs(partId: string, entries: number): number {
    const now = this.#clock.monotonic();
    const burstMs = (BURST_ENTRIES / RATE_PER_S) * 1_000;
    const until = Math.max(now, this.#paidUntil.get(partId) ?? now) + (entries / RATE_PER_S) * 1_000;
    this.#paidUntil.set(partId, until);
    if (this.#paidUntil.size > MAX_PARTS) this.#deletePast(now);
    return Math.max(0, until - now - burstMs);
  }

  #deletePast(now: number): void {
    for (const [partId, until] of this.#paidUntil) if (until <= now) this.#paidUntil.delete(partId);
  }
}
