import type { DrivenInterrupt, TickTime } from './fake-interrupt.ts';
import { MotorPhysics } from './motor-physics.ts';
import { EDGES_PER_TICK, levelsAt } from '../quadrature.ts';
import type { Clock, Timer } from '../../../base/clock.ts';
import {
  simulatedMotorDefaults,
  type SimulatedMotorAttributes,
} from '../../../../proto/config/models/simulated-motor.ts';
import { pinStyleOf, type MotorPins } from '../../../../proto/config/models/motor-pins.ts';

/** How often a turning motor is advanced to the current time. */
const STEP_MS = 5;
/** Below this speed, without power, a motor counts as stopped (revolutions per second). */
const STANDSTILL = 1e-4;
/** Static friction, as a multiple of the friction of a turning motor. */
const BREAKAWAY = 1.3;
/** After a longer gap (a suspended computer) the motor continues from where it was instead of jumping. */
const LONGEST_STEP_MS = 1_000;

/** The signed power, -1 to 1, that a driver of any of the three styles gives its motor for these pins. */
export function powerFromPins(pins: MotorPins, outputOf: (pin: string) => number): number {
  const { a = '', b = '', dir = '', pwm = '', en_high: enHigh = '', en_low: enLow = '' } = pins;
  const enabled = (enHigh === '' ? 1 : outputOf(enHigh)) * (enLow === '' ? 1 : 1 - outputOf(enLow));
  switch (pinStyleOf(pins)) {
    case 'pwm-dir':
      return enabled * outputOf(pwm) * (2 * outputOf(dir) - 1);
    case 'in1-in2':
      return enabled * (outputOf(a) - outputOf(b));
    case 'in1-in2-pwm':
      return enabled * outputOf(pwm) * (outputOf(a) - outputOf(b));
    case undefined:
      return 0;
  }
}

/** The input that a channel of the motor's encoder is wired to. */
export type EncoderWire = Pick<DrivenInterrupt, 'drive'>;

export interface SimulatedMotorOptions {
  readonly attributes: SimulatedMotorAttributes;
  readonly clock: Clock;
  readonly time: TickTime;
  /** The current output of a pin, 0 to 1. */
  readonly outputOf: (pin: string) => number;
  readonly encoder: { readonly a: EncoderWire; readonly b: EncoderWire } | undefined;
}

/**
 * A motor with friction (see {@link MotorPhysics}), wired to pins. Motion between two steps is computed exactly, so the
 * step length only decides how soon edges are reported. A motor at rest runs no timer.
 */
export class SimulatedMotor {
  readonly #options: SimulatedMotorOptions;
  readonly #physics: MotorPhysics;
  readonly #edgesPerRevolution: number;
  #power = 0;
  #edges = 0;
  #lastMs: number;
  #timer: Timer | undefined;
  #isJammed = false;

  constructor(options: SimulatedMotorOptions) {
    const { attributes } = options;
    this.#options = options;
    const { friction = simulatedMotorDefaults.friction } = attributes;
    this.#physics = new MotorPhysics({
      topSpeed: (attributes.max_rpm ?? simulatedMotorDefaults.maxRpm) / 60,
      timeConstantSec: (attributes.time_constant_ms ?? simulatedMotorDefaults.timeConstantMs) / 1_000,
      friction,
      staticFriction: BREAKAWAY * friction,
    });
    this.#edgesPerRevolution =
      (attributes.ticks_per_rotation ?? simulatedMotorDefaults.ticksPerRotation) * EDGES_PER_TICK;
    this.#lastMs = options.clock.monotonic();
  }

  /** Revolutions per minute, signed. */
  get rpm(): number {
    return this.#physics.speed * 60;
  }

  get revolutions(): number {
    return this.#physics.revolutions;
  }

  get isJammed(): boolean {
    return this.#isJammed;
  }

  /** Jams or releases the motor. A jammed motor has power but does not turn: to test a stall. */
  jam(isJammed: boolean): void {
    this.advance();
    this.#isJammed = isJammed;
    if (isJammed) this.#physics.halt();
    this.#keepTurning();
  }

  /** Called when any pin of the board has changed. */
  pinsChanged(): void {
    const power = powerFromPins(this.#options.attributes.pins, this.#options.outputOf);
    if (power === this.#power) return;
    this.advance();
    this.#power = power;
    this.#keepTurning();
  }

  /** Advances the motor to the current time and reports the edges on the way. */
  advance(): void {
    const now = this.#options.clock.monotonic();
    const since = this.#lastMs;
    const elapsedMs = Math.min(now - since, LONGEST_STEP_MS);
    if (elapsedMs <= 0) return;
    this.#lastMs = now;
    if (this.#isJammed || this.#physics.isAtRest(this.#power)) return;
    this.#physics.advance(elapsedMs / 1_000, this.#power);
    if (this.#power === 0 && Math.abs(this.#physics.speed) < STANDSTILL) this.#physics.halt();
    this.#tellEdges(since, now);
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #keepTurning(): void {
    const isTurning = !this.#isJammed && !this.#physics.isAtRest(this.#power);
    if (!isTurning) {
      this.close();
      return;
    }
    this.#timer ??= this.#options.clock.every(STEP_MS, () => {
      this.advance();
      this.#keepTurning();
    });
  }

  /** Reports the edges between two times, evenly spaced. */
  #tellEdges(fromMs: number, toMs: number): void {
    const { encoder, time } = this.#options;
    const target = Math.floor(this.#physics.revolutions * this.#edgesPerRevolution);
    const count = Math.abs(target - this.#edges);
    if (encoder === undefined || count === 0) {
      this.#edges = target;
      return;
    }
    const direction = Math.sign(target - this.#edges);
    for (let edge = 1; edge <= count; edge++) {
      this.#edges += direction;
      const levels = levelsAt(this.#edges);
      const timeNs = time.at(fromMs + ((toMs - fromMs) * edge) / count);
      encoder.a.drive(levels.a, timeNs);
      encoder.b.drive(levels.b, timeNs);
    }
  }
}
