import type { Clock } from '../../base/clock.ts';

/** Entries that one part may send for long; what it sends at once beyond that waits. */
const RATE_PER_S = 2_000;
const BURST = 20_000;

/**
 * Shares the hub among those who log: a part that sends more than its share is
 * answered later, and sends the next batch only then. Nothing of it is lost:
 * its own disk is its queue.
 */
export class LogPace {
  readonly #clock: Clock;
  /** Time until which what a part has sent is paid for. */
  readonly #paidUntil = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How long the answer to this many entries has to wait, milliseconds. */
  delayMs(partId: string, entries: number): number {
    const now = this.#clock.monotonic();
    const burstMs = (BURST / RATE_PER_S) * 1_000;
    const until = Math.max(now, this.#paidUntil.get(partId) ?? now) + (entries / RATE_PER_S) * 1_000;
    this.#paidUntil.set(partId, until);
    if (this.#paidUntil.size > 10_000) this.#forgetPaid(now);
    return Math.max(0, until - now - burstMs);
  }

  #forgetPaid(now: number): void {
    for (const [partId, until] of this.#paidUntil) if (until <= now) this.#paidUntil.delete(partId);
  }
}
