import type { Clock, Timer } from '../clock.ts';

/**
 * Runs a step whenever it is woken, one at a time: a reconcile loop. If it is woken during a step, another step
 * follows.
 */
export class StepLoop {
  readonly #clock: Clock;
  readonly #step: () => Promise<void>;
  #retry: Timer | undefined;
  #isAgain = false;
  #running: Promise<void> | undefined;
  #isClosed = false;

  /** @param step must not reject */
  constructor(clock: Clock, step: () => Promise<void>) {
    this.#clock = clock;
    this.#step = step;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Settles when no step is under way or due at once. */
  get idle(): Promise<void> {
    return this.#running ?? Promise.resolve();
  }

  wake(): void {
    if (this.#isClosed) return;
    this.#retry?.cancel();
    this.#isAgain = true;
    this.#running ??= this.#run();
  }

  /** Wakes it after a time, unless it is woken before. */
  wakeAfter(ms: number): void {
    this.#retry = this.#clock.after(ms, () => this.wake());
  }

  /** The current step has handled every wake-up so far: none of them needs another step. */
  caughtUp(): void {
    this.#isAgain = false;
  }

  /** No further step begins. */
  close(): void {
    this.#isClosed = true;
    this.#retry?.cancel();
  }

  async #run(): Promise<void> {
    // A step never runs within the call that woke it.
    await Promise.resolve();
    while (this.#isAgain && !this.#isClosed) {
      this.#isAgain = false;
      await this.#step();
    }
    this.#running = undefined;
  }
}
