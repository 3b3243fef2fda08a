/** The properties of a motor. Torques are shares of the stall torque at full power. */
export interface MotorBody {
  /** Revolutions per second at full power, without friction or load. */
  readonly topSpeed: number;
  /** Time in which the speed closes 63 % of the gap to a new one, seconds. Includes drag that grows with the speed. */
  readonly timeConstantSec: number;
  /** Coulomb friction: the torque needed to keep turning at any speed, 0 to 1. */
  readonly friction?: number;
  /** Torque needed to start turning from rest; not less than `friction`. */
  readonly staticFriction?: number;
  /** Power up to which the driver outputs nothing, 0 to 1; the rest is scaled to full power. */
  readonly deadBand?: number;
  /** Play between the motor and its encoder, revolutions. */
  readonly backlash?: number;
}

/** Torques against a motor in addition to its own friction, as shares of full torque. */
export interface MotorLoad {
  /** Pulls in one direction whether the motor turns or not, like a hanging weight; positive pulls backward. */
  readonly pull: number;
  /** Brakes a turning motor, and holds one at rest. */
  readonly drag: number;
}

const NO_LOAD: MotorLoad = { pull: 0, drag: 0 };
/** Maximum phases of one direction per step; more would mean that the motor vibrates in place. */
const MAX_PHASES = 4;

/**
 * A first-order motor with friction: `timeConstant * acceleration = topSpeed * (power - friction - load) - speed`.
 * Solved exactly for constant power, also across standstill, so that the step length does not change the result. Pure:
 * uses no clock and no random numbers.
 */
export class MotorPhysics {
  readonly #body: Required<MotorBody>;
  #load = NO_LOAD;
  #speed = 0;
  #revolutions = 0;
  #shaft = 0;

  constructor(body: MotorBody) {
    const { friction = 0 } = body;
    this.#body = { deadBand: 0, backlash: 0, staticFriction: friction, ...body, friction };
  }

  /** Revolutions per second, signed. */
  get speed(): number {
    return this.#speed;
  }

  /** Revolutions of the encoder's shaft, after the backlash. */
  get revolutions(): number {
    return this.#shaft;
  }

  /** Whether it would stay at rest with this power. */
  isAtRest(power: number): boolean {
    return this.#speed === 0 && this.#turnsFromRest(this.#torque(power)) === 0;
  }

  setLoad(load: Partial<MotorLoad>): void {
    this.#load = { ...NO_LOAD, ...load };
  }

  /** Something blocks the motor: it stops at once. */
  halt(): void {
    this.#speed = 0;
  }

  /** Advances time with constant power. */
  advance(sec: number, power: number): void {
    const torque = this.#torque(power);
    let left = sec;
    for (let phase = 0; phase < MAX_PHASES && left > 0; phase++) {
      const direction = this.#speed === 0 ? this.#turnsFromRest(torque) : Math.sign(this.#speed);
      if (direction === 0) return;
      left -= this.#turn(torque, direction, left);
    }
  }

  /** Turns in one direction until the time is over or the motor stops; returns how long that took. */
  #turn(torque: number, direction: number, sec: number): number {
    const { topSpeed, timeConstantSec, friction, backlash } = this.#body;
    const finalSpeed = topSpeed * (torque - direction * (friction + this.#load.drag));
    const gap = this.#speed - finalSpeed;
    const willStand = this.#speed !== 0 && finalSpeed * direction <= 0 && finalSpeed !== 0;
    const standsAfter = willStand ? timeConstantSec * Math.log(gap / -finalSpeed) : Number.POSITIVE_INFINITY;
    const turns = Math.min(sec, standsAfter);
    const share = Math.exp(-turns / timeConstantSec);
    this.#revolutions += finalSpeed * turns + gap * timeConstantSec * (1 - share);
    this.#speed = standsAfter <= sec ? 0 : finalSpeed + gap * share;
    const half = backlash / 2;
    this.#shaft = Math.min(this.#revolutions + half, Math.max(this.#revolutions - half, this.#shaft));
    return turns;
  }

  /** Torque of motor and pull together. */
  #torque(power: number): number {
    const { deadBand } = this.#body;
    const share = Math.max(0, Math.abs(power) - deadBand) / (1 - deadBand);
    return Math.sign(power) * share - this.#load.pull;
  }

  #turnsFromRest(torque: number): number {
    const holds = Math.max(this.#body.staticFriction, this.#body.friction) + this.#load.drag;
    return Math.abs(torque) > holds ? Math.sign(torque) : 0;
  }
}
