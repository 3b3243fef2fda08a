import type { Clock, Timer } from '../../../base/clock.ts';

/** Lines a second that a module may write for long, and how many it may have saved up. */
export const LINES_PER_S = 1_000;
export const LINE_BURST = 5_000;
/** How often it is said that lines are left out. */
const TELL_MS = 5_000;

/** Bounds how many lines of one module are read; those beyond are counted and told of. */
export class FloodLimit {
  readonly #clock: Clock;
  readonly #onDropped: (lines: number) => void;
  #tokens = LINE_BURST;
  #filledAt: number;
  #dropped = 0;
  #timer: Timer | undefined;

  constructor(clock: Clock, onDropped: (lines: number) => void) {
    this.#clock = clock;
    this.#onDropped = onDropped;
    this.#filledAt = clock.monotonic();
  }

  /** Whether one more line is taken. */
  take(): boolean {
    if (this.#tokens < 1) this.#fill();
    if (this.#tokens >= 1) {
      this.#tokens--;
      return true;
    }
    this.#dropped++;
    this.#timer ??= this.#clock.after(TELL_MS, () => this.flush());
    return false;
  }

  /** Tells of what was left out and not told of yet. */
  flush(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const lines = this.#dropped;
    this.#dropped = 0;
    if (lines > 0) this.#onDropped(lines);
  }

  #fill(): void {
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(LINE_BURST, this.#tokens + ((now - this.#filledAt) * LINES_PER_S) / 1_000);
    this.#filledAt = now;
  }
}
