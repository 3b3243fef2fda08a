import type { Clock } from '../clock.ts';

/** Clocks count fractions of a millisecond, and sums of those are not exact: what is short by a nanosecond is there. */
const TOLERANCE_MS = 1e-6;

export interface TokenBucketOptions {
  /** What may be taken at once after a rest. */
  readonly capacity: number;
  /** What comes back, until all of it is there. */
  readonly perSecond: number;
}

/** A rate limit: a burst, and a rate at which it refills. Full at the start. */
export class TokenBucket {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #fillMs: number;
  readonly #msPerToken: number;
  /** When all of it is there again, monotonic; a time that has passed says that it is. */
  #fullAt = -Infinity;

  constructor(clock: Pick<Clock, 'monotonic'>, { capacity, perSecond }: TokenBucketOptions) {
    this.#clock = clock;
    this.#msPerToken = 1_000 / perSecond;
    this.#fillMs = capacity * this.#msPerToken;
  }

  /** @returns false where there is not so much left; nothing is taken then */
  take(amount = 1): boolean {
    const now = this.#clock.monotonic();
    const fullAt = Math.max(now, this.#fullAt) + amount * this.#msPerToken;
    if (fullAt - now > this.#fillMs + TOLERANCE_MS) return false;
    this.#fullAt = fullAt;
    return true;
  }

  /** Milliseconds until so much is there, if nobody takes any: 0 where it is. More than the capacity never is. */
  waitMs(amount = 1): number {
    const now = this.#clock.monotonic();
    const waitMs = Math.max(now, this.#fullAt) + amount * this.#msPerToken - now - this.#fillMs;
    return waitMs > TOLERANCE_MS ? waitMs : 0;
  }

  /**
   * Whether nothing is missing.
   * @param now monotonic time, from who asks many buckets of one clock
   */
  isFull(now: number = this.#clock.monotonic()): boolean {
    return this.#fullAt <= now + TOLERANCE_MS;
  }
}
