import { backoffDelayMs, defaultBackoff } from '../../base/async/backoff.ts';
import type { Clock, Timer } from '../../base/clock.ts';

/** How often in a row a module that was ready is restarted without delay. */
const AT_ONCE = 5;

/** Decides when a module that ended on its own is started again. */
export class RetryDelay {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #healthyMs: number;
  #attempts = 0;
  #startedAtOnce = 0;
  #retry: Timer | undefined;
  #healthy: Timer | undefined;

  constructor(clock: Clock, random: () => number, healthyMs: number) {
    this.#clock = clock;
    this.#random = random;
    this.#healthyMs = healthyMs;
  }

  /** Consecutive failures. */
  get attempts(): number {
    return this.#attempts;
  }

  get isWaiting(): boolean {
    return this.#retry !== undefined;
  }

  /** The module is ready: if it stays so, earlier failures are forgotten. */
  ready(): void {
    this.#healthy = this.#clock.after(this.#healthyMs, () => this.#forget());
  }

  /** The process has ended, for any reason. */
  ended(): void {
    this.#healthy?.cancel();
  }

  /**
   * Counts a failure. A module that was running is restarted at once, a few times. One that keeps failing, or was never
   * ready, waits longer each time.
   * @returns the delay, in milliseconds
   */
  failed(wasReady: boolean): number {
    this.#attempts++;
    if (wasReady && this.#startedAtOnce < AT_ONCE) {
      this.#startedAtOnce++;
      return 0;
    }
    return backoffDelayMs(defaultBackoff, this.#attempts - this.#startedAtOnce, this.#random());
  }

  wait(ms: number, then: () => void): void {
    this.#retry = this.#clock.after(ms, () => {
      this.#retry = undefined;
      then();
    });
  }

  /** Cancels the delay. With `forgets`, earlier failures no longer count. */
  cancel(forgets: boolean): void {
    this.#retry?.cancel();
    this.#retry = undefined;
    if (forgets) this.#forget();
  }

  #forget(): void {
    this.#attempts = 0;
    this.#startedAtOnce = 0;
  }
}
