import type { Clock, Timer } from '../../../base/clock.ts';
import { TokenBucket } from '../../../base/async/token-bucket.ts';

/** Lines per second that are read on average, and how many at once after a pause. */
export const LINES_PER_S = 1_000;
export const LINE_BURST = 2_000;
const REFILL_MS = 100;
/** How often dropped lines are reported. */
const REPORT_MS = 5_000;

/**
 * Limits how many lines are read; the rest are counted and reported. A line costs a few integer operations: the clock
 * is not read, because there may be millions of lines.
 */
export class OutputRateLimit {
  readonly #clock: Clock;
  readonly #onDropped: (lines: number) => void;
  readonly #bucket: TokenBucket;
  /** The time of the token bucket: advances in steps, and only while the bucket is not full. */
  #bucketMs = 0;
  #dropped = 0;
  #refill: Timer | undefined;
  #report: Timer | undefined;

  constructor(clock: Clock, onDropped: (lines: number) => void) {
    this.#clock = clock;
    this.#onDropped = onDropped;
    const limits = { capacity: LINE_BURST, perSecond: LINES_PER_S };
    this.#bucket = new TokenBucket({ monotonic: () => this.#bucketMs }, limits);
  }

  /** Whether one more line is taken. */
  take(): boolean {
    if (!this.#bucket.take()) {
      this.#dropped++;
      this.#report ??= this.#clock.after(REPORT_MS, () => this.#reportDropped());
      return false;
    }
    this.#refill ??= this.#clock.every(REFILL_MS, () => this.#fill());
    return true;
  }

  /** The output has ended: reports dropped lines that were not reported yet. */
  end(): void {
    this.#refill?.cancel();
    this.#reportDropped();
  }

  #fill(): void {
    this.#bucketMs += REFILL_MS;
    if (!this.#bucket.isFull()) return;
    this.#refill?.cancel();
    this.#refill = undefined;
  }

  #reportDropped(): void {
    this.#report?.cancel();
    this.#report = undefined;
    const lines = this.#dropped;
    this.#dropped = 0;
    if (lines > 0) this.#onDropped(lines);
  }
}
