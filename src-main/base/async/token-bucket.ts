import type { Clock } from '../clock.ts';

/** Sums of fractional milliseconds are not exact: a token that is short by a nanosecond counts as available. */
const TOLERANCE_MS = 1e-6;

export interface TokenBucketOptions {
  /** Tokens that can be taken at once from a full bucket. */
  readonly capacity: number;
  /** Tokens added per second, until the bucket is full. */
  readonly perSecond: number;
}

/** A rate limit: a burst, and a rate at which it refills. Full at the start. */
export class TokenBucket {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #fillMs: number;
  readonly #msPerToken: number;
  /** When the bucket is full again, monotonic; in the past where it is full. */
  #fullAt = -Infinity;

  constructor(clock: Pick<Clock, 'monotonic'>, { capacity, perSecond }: TokenBucketOptions) {
    this.#clock = clock;
    this.#msPerToken = 1_000 / perSecond;
    this.#fillMs = capacity * this.#msPerToken;
  }

  /** @returns false where there are too few tokens; none is taken then */
  take(amount = 1): boolean {
    const now = this.#clock.monotonic();
    const fullAt = Math.max(now, this.#fullAt) + amount * this.#msPerToken;
    if (fullAt - now > this.#fillMs + TOLERANCE_MS) return false;
    this.#fullAt = fullAt;
    return true;
  }

  /** Milliseconds until so many tokens are available, if nobody takes any; never for more than the capacity. */
  waitMs(amount = 1): number {
    const now = this.#clock.monotonic();
    const waitMs = Math.max(now, this.#fullAt) + amount * this.#msPerToken - now - this.#fillMs;
    return waitMs > TOLERANCE_MS ? waitMs : 0;
  }

  /**
   * Whether the bucket is full.
   * @param now monotonic time, from who asks many buckets of one clock
   */
  isFull(now: number = this.#clock.monotonic()): boolean {
    return this.#fullAt <= now + TOLERANCE_MS;
  }
}
