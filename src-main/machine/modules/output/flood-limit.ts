import type { Clock, Timer } from '../../../base/clock.ts';

/** Lines a second that may be written for long, and how many at once after a time of rest. */
export const LINES_PER_S = 1_000;
export const LINE_BURST = 2_000;
const REFILL_MS = 100;
const REFILL_LINES = (LINES_PER_S * REFILL_MS) / 1_000;
/** How often it is said that lines are left out. */
const TELL_MS = 5_000;

/**
 * Bounds how many lines are read; those beyond are counted and told of. A line
 * costs a few integers: no clock is asked, since it may be one of millions.
 */
export class FloodLimit {
  readonly #clock: Clock;
  readonly #onDropped: (lines: number) => void;
  #left = LINE_BURST;
  #dropped = 0;
  #refill: Timer | undefined;
  #tell: Timer | undefined;

  constructor(clock: Clock, onDropped: (lines: number) => void) {
    this.#clock = clock;
    this.#onDropped = onDropped;
  }

  /** Whether one more line is taken. */
  take(): boolean {
    if (this.#left === 0) {
      this.#dropped++;
      this.#tell ??= this.#clock.after(TELL_MS, () => this.#tellOfDropped());
      return false;
    }
    this.#left--;
    this.#refill ??= this.#clock.every(REFILL_MS, () => this.#fill());
    return true;
  }

  /** No more lines come: tells of what was left out and not told of yet. */
  end(): void {
    this.#refill?.cancel();
    this.#tellOfDropped();
  }

  #fill(): void {
    this.#left = Math.min(LINE_BURST, this.#left + REFILL_LINES);
    if (this.#left < LINE_BURST) return;
    this.#refill?.cancel();
    this.#refill = undefined;
  }

  #tellOfDropped(): void {
    this.#tell?.cancel();
    this.#tell = undefined;
    const lines = this.#dropped;
    this.#dropped = 0;
    if (lines > 0) this.#onDropped(lines);
  }
}
