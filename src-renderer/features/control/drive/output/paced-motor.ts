/** What runs a motor while it is held. Power is -1 to 1. */
export interface HeldPower {
  press(power: number): void;
  change(power: number): void;
  release(): void;
}

/** At most 20 powers a second. */
export const PACE_MS = 50;
/** A smaller change of power is not sent. */
export const POWER_STEP = 0.01;

/** Passes on the powers of a motor at a bounded rate. A stop is passed on at once, and is a stop, not a power of 0. */
export class PacedMotor {
  readonly #motor: HeldPower;
  /** The power that was passed on; 0 if it stands. */
  #power = 0;
  #passedAt = Number.NEGATIVE_INFINITY;

  constructor(motor: HeldPower) {
    this.#motor = motor;
  }

  /** The power that was passed on; 0 if it stands. */
  get power(): number {
    return this.#power;
  }

  /**
   * Passes a power on, or leaves it to a later call with the power wanted then.
   * @param now by a clock that never goes back, ms
   */
  set(power: number, now: number): void {
    if (power === 0) {
      this.stop();
      return;
    }
    if (now - this.#passedAt < PACE_MS || Math.abs(power - this.#power) < POWER_STEP) return;
    const isHeld = this.#power !== 0;
    this.#passedAt = now;
    this.#power = power;
    if (isHeld) this.#motor.change(power);
    else this.#motor.press(power);
  }

  stop(): void {
    if (this.#power === 0) return;
    this.#power = 0;
    this.#motor.release();
  }
}
