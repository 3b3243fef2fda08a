import type { MotorModel } from './motor-model.ts';

/** How fast an error of position is made good: its rate, 1/s. */
const RATE_PER_SEC = 6;
/** Least feedback from position, 1/s; for motors quicker than the rate above. */
const LEAST_POSITION_GAIN = 3;
const INTEGRAL_GAIN = 0.5;
/** Extra power for a motor that should move but does not: how much a second at first, and how fast that grows. */
const BREAKAWAY_PER_SEC = 0.02;
const BREAKAWAY_GROWTH_PER_SEC = 3;
const BREAKAWAY_AFTER_SEC = 0.2;
const SPEED_AVERAGE_SEC = 0.04;

export interface ControllerInput {
  readonly sec: number;
  /** Revolutions. */
  readonly measured: number;
  readonly desired: number;
  /** Revolutions a second, signed. */
  readonly desiredSpeed: number;
  /** Revolutions a second a second, signed. */
  readonly desiredAcceleration: number;
  /** Signed power that was sent since the last step. */
  readonly sentPower: number;
  readonly maxPower: number;
}

/**
 * Follows a moving position: feed-forward from the learned model of the motor,
 * plus proportional and integral feedback (B7.8) whose gains follow from the
 * model too. Works in positions, not only speeds, so that a coarse encoder
 * does not make it jump. Pure: no clock.
 */
export class SpeedController {
  readonly #model: MotorModel;
  readonly #cruise: number;
  #last: number;
  #speed: number;
  #integral = 0;
  #breakaway = 0;
  #stillSec = 0;

  /** @param cruise speed of the command, revolutions a second: the first guess where nothing is known */
  constructor(model: MotorModel, start: { readonly position: number; readonly speed: number }, cruise: number) {
    this.#model = model;
    this.#last = start.position;
    this.#speed = start.speed;
    this.#cruise = cruise;
  }

  /** Measured speed, averaged, revolutions a second. */
  get speed(): number {
    return this.#speed;
  }

  /** Signed power to send, not yet limited. */
  step(input: ControllerInput): number {
    const { sec, measured } = input;
    const moved = measured - this.#last;
    this.#last = measured;
    this.#speed += (moved / sec - this.#speed) * Math.min(1, sec / SPEED_AVERAGE_SEC);
    this.#model.observe(sec, moved / sec, input.sentPower);
    const gain = this.#model.gainOrGuess(this.#cruise);
    const { delaySec } = this.#model;
    const error = input.desired - measured;
    const positionGain = Math.max(LEAST_POSITION_GAIN, delaySec * RATE_PER_SEC ** 2);
    const speedGain = Math.max(0, 2 * delaySec * RATE_PER_SEC - 1);
    const forward = input.desiredSpeed + delaySec * input.desiredAcceleration;
    const direct = (forward + positionGain * error + speedGain * (input.desiredSpeed - this.#speed)) / gain;
    const integral = this.#integral + (INTEGRAL_GAIN * error * sec) / gain;
    // The integral stands still at the goal, and while more power could not be sent: it would have to be unwound.
    const isUnderWay = input.desiredSpeed !== 0;
    if (!isUnderWay) this.#integral = 0;
    else if (Math.abs(direct + integral) < input.maxPower || Math.abs(integral) < Math.abs(this.#integral)) {
      this.#integral = integral;
    }
    this.#breakaway = this.#nextBreakaway(moved, error, input);
    return direct + this.#integral + this.#breakaway;
  }

  #nextBreakaway(moved: number, error: number, input: ControllerInput): number {
    if (moved !== 0 || error === 0) {
      this.#stillSec = 0;
      return moved === 0 ? 0 : this.#breakaway * 0.8;
    }
    this.#stillSec += input.sec;
    if (this.#stillSec < BREAKAWAY_AFTER_SEC) return this.#breakaway;
    const rate = BREAKAWAY_PER_SEC + BREAKAWAY_GROWTH_PER_SEC * Math.abs(this.#breakaway);
    const next = this.#breakaway + Math.sign(error) * rate * input.sec;
    return Math.max(-input.maxPower, Math.min(input.maxPower, next));
  }
}
