import type { Clock } from '../../base/clock.ts';

/** So much a second, and no more at once: whoever sends more is not heard, and costs no more either. */
export class Allowance {
  readonly #clock: Clock;
  readonly #perSecond: number;
  #left: number;
  #at: number;

  /** @param perSecond also what may be taken at once after a rest */
  constructor(clock: Clock, perSecond: number) {
    this.#clock = clock;
    this.#perSecond = perSecond;
    this.#left = perSecond;
    this.#at = clock.monotonic();
  }

  /** @returns false where there is not so much left; nothing is taken then */
  take(amount: number): boolean {
    const now = this.#clock.monotonic();
    this.#left = Math.min(this.#perSecond, this.#left + ((now - this.#at) / 1_000) * this.#perSecond);
    this.#at = now;
    if (amount > this.#left) return false;
    this.#left -= amount;
    return true;
  }
}
