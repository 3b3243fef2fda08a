import type { Clock, Timer } from '../../base/clock.ts';

/**
 * Runs the action of a key at once, then not again before a time has passed; requests in between run once, after it.
 */
export class Throttle {
  readonly #clock: Clock;
  readonly #restMs: number;
  readonly #doneAt = new Map<string, number>();
  readonly #waiting = new Map<string, Timer>();

  constructor(clock: Clock, restMs: number) {
    this.#clock = clock;
    this.#restMs = restMs;
  }

  /** @param key identifies the action; there should be only few */
  run(key: string, action: () => void): void {
    if (this.#waiting.has(key)) return;
    const done = (): void => {
      this.#waiting.delete(key);
      this.#doneAt.set(key, this.#clock.monotonic());
      action();
    };
    const last = this.#doneAt.get(key);
    const waitMs = last === undefined ? 0 : last + this.#restMs - this.#clock.monotonic();
    if (waitMs <= 0) done();
    else this.#waiting.set(key, this.#clock.after(waitMs, done));
  }

  /** Cancels waiting actions. */
  stop(): void {
    for (const timer of this.#waiting.values()) timer.cancel();
    this.#waiting.clear();
  }
}
