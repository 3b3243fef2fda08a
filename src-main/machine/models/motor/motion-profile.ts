/** A way to go: from a position, at most so fast, to a goal or on for ever. Everything in revolutions and seconds. */
export interface MotionOptions {
  readonly start: number;
  /** Signed speed at the start. */
  readonly startSpeed: number;
  readonly direction: 1 | -1;
  /** Undefined: turn until changed. */
  readonly goal: number | undefined;
  /** Speed between speeding up and slowing down, more than 0. */
  readonly cruise: number;
}

/** Time from rest to cruising speed and back. */
const RAMP_SEC = 0.4;

/** The position and speed a motor should have, moved on step by step: speeds up, cruises, slows down before the goal (B7.9). */
export class MotionProfile {
  readonly #options: MotionOptions;
  readonly #acceleration: number;
  #position: number;
  #speed: number;
  #lastAcceleration = 0;
  #isFinished = false;

  constructor(options: MotionOptions) {
    this.#options = options;
    this.#acceleration = options.cruise / RAMP_SEC;
    this.#position = options.start;
    this.#speed = Math.min(options.cruise, Math.max(0, options.startSpeed * options.direction));
  }

  get position(): number {
    return this.#position;
  }

  /** Signed. */
  get speed(): number {
    return this.#speed * this.#options.direction;
  }

  /** Signed, over the last step. */
  get acceleration(): number {
    return this.#lastAcceleration * this.#options.direction;
  }

  /** Whether the profile stands at its goal. */
  get isFinished(): boolean {
    return this.#isFinished;
  }

  /** @param leadLimit how far the profile may be ahead of the motor, which has only the power it has */
  step(sec: number, measured: number, leadLimit: number): void {
    if (this.#isFinished) return;
    const { direction, goal, cruise } = this.#options;
    const left = goal === undefined ? Number.POSITIVE_INFINITY : (goal - this.#position) * direction;
    const brakingSpeed = Math.sqrt(2 * this.#acceleration * Math.max(0, left));
    const before = this.#speed;
    this.#speed = Math.min(this.#speed + this.#acceleration * sec, cruise, brakingSpeed);
    this.#lastAcceleration = Math.max(-this.#acceleration, (this.#speed - before) / sec);
    const ahead = (this.#position - measured) * direction;
    const step = Math.min(this.#speed * sec, Math.max(0, leadLimit - ahead));
    if (goal !== undefined && left - step <= 2 * this.#acceleration * sec * sec && ahead < leadLimit) {
      this.#position = goal;
      this.#speed = 0;
      this.#lastAcceleration = 0;
      this.#isFinished = true;
      return;
    }
    this.#position += step * direction;
  }
}
