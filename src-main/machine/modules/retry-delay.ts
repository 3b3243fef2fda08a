import { backoffDelayMs, defaultBackoff } from '../../base/backoff.ts';
import type { Clock, Timer } from '../../base/clock.ts';

/** When a module that ended on its own is started again (B3.8). */
export class RetryDelay {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #healthyMs: number;
  #attempts = 0;
  #retry: Timer | undefined;
  #healthy: Timer | undefined;

  constructor(clock: Clock, random: () => number, healthyMs: number) {
    this.#clock = clock;
    this.#random = random;
    this.#healthyMs = healthyMs;
  }

  /** Failures in a row. */
  get attempts(): number {
    return this.#attempts;
  }

  get isWaiting(): boolean {
    return this.#retry !== undefined;
  }

  /** It is ready: failures are forgotten when it stays so. */
  ready(): void {
    this.#healthy = this.#clock.after(this.#healthyMs, () => (this.#attempts = 0));
  }

  /** Its process is no more, for whatever reason. */
  ended(): void {
    this.#healthy?.cancel();
  }

  /**
   * Counts a failure.
   * @returns how long to wait: nothing where what was running is wanted back, more and more where it does not stay
   */
  failed(wasReady: boolean): number {
    this.#attempts++;
    return wasReady && this.#attempts === 1 ? 0 : backoffDelayMs(defaultBackoff, this.#attempts, this.#random());
  }

  wait(ms: number, then: () => void): void {
    this.#retry = this.#clock.after(ms, () => {
      this.#retry = undefined;
      then();
    });
  }

  /** Does not wait any more; with `forgets` nothing counts against it. */
  cancel(forgets: boolean): void {
    this.#retry?.cancel();
    this.#retry = undefined;
    if (forgets) this.#attempts = 0;
  }
}
