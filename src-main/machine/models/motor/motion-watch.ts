import type { MotorModel } from './motor-model.ts';

/** Ticks that must have been due before a motor that shows none counts as stalled. */
const DUE_TICKS = 2.5;
const STALL_SEC = 0.3;
/** A motor that is given too little for the model to expect a tick counts as stalled after this. */
const LONGEST_STALL_SEC = 3;
/** Ticks against the power, where others were due, after which an encoder counts as reversed. */
const AGAINST_TICKS = 3;
/** And revolutions: a motor at rest may still creep, and turn through its play. */
const AGAINST_REVOLUTIONS = 5 / 360;
/** Torque that an unknown load may take before a motor that does not turn is suspected, share of full torque. */
const SPARE_TORQUE = 0.2;
/** Time that a motor must have had more than that. */
const DUE_SEC = 0.15;
const FIRST_DUE_SEC = 0.35;
/** A motor may be so much slower to start than the model says. */
const SLOWER = 1.3;

export interface WatchSample {
  readonly sec: number;
  /** Ticks since the last sample, signed. */
  readonly ticks: number;
  /** Signed power sent. */
  readonly power: number;
  /** Speed as it is reckoned and as it should be, signed revolutions a second. */
  readonly speed: number;
  readonly wantedSpeed: number;
  /** Power above which the motor should turn. */
  readonly breakaway: number;
}

/**
 * Notices a motor that does not turn, or whose encoder counts the other way: both by how far a sluggish motor with the
 * learned model would have come since the last tick in the direction of its power. Pure: no clock.
 */
export class MotionWatch {
  readonly #model: MotorModel;
  readonly #tick: number;
  #direction = 0;
  #speed = 0;
  #due = 0;
  #dueSec = 0;
  /** Speed and ticks that were due if nothing but friction held the motor. */
  #unloadedSpeed = 0;
  #dueUnloaded = 0;
  #wantedTicks = 0;
  #silentSec = 0;
  #against = 0;

  /** @param tick revolutions in a tick */
  constructor(model: MotorModel, tick: number) {
    this.#model = model;
    this.#tick = tick;
  }

  /** Time since the last tick, seconds. */
  get silentSec(): number {
    return this.#silentSec;
  }

  /** What is wrong, as soon as it is certain. */
  look(sample: WatchSample): 'stalled' | 'reversed' | undefined {
    const { sec, ticks, power } = sample;
    const direction = Math.sign(power);
    if (direction === 0) {
      this.#begin(0, 0);
      return undefined;
    }
    if (direction !== this.#direction) this.#begin(direction, Math.min(0, sample.speed * direction) * SLOWER);
    if (ticks * direction > 0) this.#begin(direction, 0);
    if (ticks !== 0) this.#silentSec = 0;
    this.#against += Math.max(0, -ticks * direction);
    this.#silentSec += sec;
    this.#wantedTicks += (Math.abs(sample.wantedSpeed) * sec) / this.#tick;
    this.#turn(sample, direction);
    const against = Math.max(AGAINST_TICKS, AGAINST_REVOLUTIONS / this.#tick);
    if (this.#dueUnloaded >= against && this.#against >= against) return 'reversed';
    if (
      this.#due >= DUE_TICKS &&
      this.#dueSec >= (this.#model.isLearned ? DUE_SEC : FIRST_DUE_SEC) &&
      this.#silentSec >= STALL_SEC
    )
      return 'stalled';
    if (this.#wantedTicks >= DUE_TICKS && this.#silentSec >= LONGEST_STALL_SEC) return 'stalled';
    return undefined;
  }

  #begin(direction: number, speed: number): void {
    this.#direction = direction;
    this.#speed = speed;
    this.#due = 0;
    this.#dueSec = 0;
    this.#unloadedSpeed = speed;
    this.#dueUnloaded = 0;
    this.#wantedTicks = 0;
    this.#silentSec = 0;
    this.#against = 0;
  }

  #turn({ sec, power, breakaway }: WatchSample, direction: number): void {
    const spare = this.#model.isLearned ? SPARE_TORQUE : 0;
    const free = Math.max(0, power * direction - breakaway);
    const net = Math.max(0, free - spare);
    if (net > 0) this.#dueSec += sec;
    const keep = Math.exp(-sec / (this.#model.delaySec * SLOWER));
    const turned = (speed: number, torque: number): number => {
      const finalSpeed = torque * this.#model.gainOrGuess;
      return finalSpeed + (speed - finalSpeed) * keep;
    };
    this.#speed = turned(this.#speed, net);
    this.#unloadedSpeed = turned(this.#unloadedSpeed, free);
    this.#due += (Math.max(0, this.#speed) * sec) / this.#tick;
    this.#dueUnloaded += (Math.max(0, this.#unloadedSpeed) * sec) / this.#tick;
  }
}
