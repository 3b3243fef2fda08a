import type { MotorModel } from './motor-model.ts';

/** A motor that is known counts as stalled when so many ticks and revolutions were due: it may first turn through its play. */
const DUE_TICKS = 1.2;
const DUE_REVOLUTIONS = 1.5 / 360;
/** One that is not known, whose friction and gain are guessed, when so many ticks were due. */
const FIRST_DUE_TICKS = 2;
/** A motor that ticks seldom may be silent for so long. With a step of control, 0.3 s. */
const STALL_SEC = 0.28;
/** A motor that is given too little for the model to expect a tick counts as stalled after this. */
const LONGEST_STALL_SEC = 1;
/** Ticks against the power, where others were due, after which an encoder counts as reversed. */
const AGAINST_TICKS = 3;
/** The same for a motor that is known, before its first tick in this direction. */
const KNOWN_AGAINST_TICKS = 2;
const KNOWN_DUE_TICKS = 1.5;
/** And revolutions: a motor at rest may still creep, and turn through its play. */
const AGAINST_REVOLUTIONS = 5 / 360;
/** Torque that an unknown load may take before a motor that does not turn is suspected, share of full torque. */
const SPARE_TORQUE = 0.15;
/** After it ticked: what begins to brake it then may be more. */
const SPARE_TORQUE_TURNING = 0.2;
/** Time that a motor must have had more than that. */
const DUE_SEC = 0.15;
const FIRST_DUE_SEC = 0.2;
/** Of the time between two looks so much counts for what a motor should have done in it. */
const LONGEST_SEEN_SEC = 0.05;
/** A motor may be so much slower to start than the model says. */
const SLOWER = 1.3;

/**
 * Ticks against its power that a motor does not make of itself.
 * @param tick revolutions in a tick
 */
export function ticksAgainst(tick: number): number {
  return Math.max(AGAINST_TICKS, AGAINST_REVOLUTIONS / tick);
}

export interface MotionFaultSample {
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
  /** Whether that is known and not only guessed. */
  readonly knowsStart: boolean;
}

/**
 * Notices a motor that does not turn, or whose encoder counts the other way: both by how far a sluggish motor with the
 * learned model would have come since the last tick in the direction of its power. Pure: no clock.
 */
export class MotionFaultDetector {
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
  /** Whether it ever ticked in the direction of its power. */
  #hasTicked = false;
  /** Time before its first tick against the power, and since. */
  #restSec = 0;
  #backSec = 0;

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
  check(sample: MotionFaultSample): 'stalled' | 'reversed' | undefined {
    const { ticks, power } = sample;
    // If the program hung, the motor's power meanwhile is unknown: outputs may have expired.
    const sec = Math.min(sample.sec, LONGEST_SEEN_SEC);
    const direction = Math.sign(power);
    if (direction === 0) {
      this.#begin(0, 0);
      return undefined;
    }
    if (direction !== this.#direction) this.#begin(direction, Math.min(0, sample.speed * direction) * SLOWER);
    if (ticks * direction > 0) {
      this.#begin(direction, 0);
      this.#hasTicked = true;
    }
    if (ticks !== 0) this.#silentSec = 0;
    this.#against += Math.max(0, -ticks * direction);
    this.#silentSec += sec;
    this.#wantedTicks += (Math.abs(sample.wantedSpeed) * sec) / this.#tick;
    this.#turn(sample, direction, sec);
    if (this.#isReversed(sample, sec)) return 'reversed';
    const { knowsStart } = sample;
    const due = knowsStart ? DUE_TICKS + DUE_REVOLUTIONS / this.#tick : FIRST_DUE_TICKS;
    const dueSec = knowsStart ? DUE_SEC : FIRST_DUE_SEC;
    if (this.#due >= due && this.#dueSec >= dueSec && this.#silentSec >= STALL_SEC) return 'stalled';
    if (this.#wantedTicks >= FIRST_DUE_TICKS && this.#silentSec >= LONGEST_STALL_SEC) return 'stalled';
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
    this.#backSec = 0;
    this.#restSec = 0;
  }

  #isReversed({ sec, knowsStart }: MotionFaultSample, seenSec: number): boolean {
    if (this.#against === 0) this.#restSec += seenSec;
    else this.#backSec += sec;
    const creep = AGAINST_REVOLUTIONS / this.#tick;
    const enough = ticksAgainst(this.#tick);
    if (this.#against >= enough && this.#dueUnloaded >= enough) return true;
    if (this.#hasTicked) return false;
    const enoughIfKnown = Math.max(KNOWN_AGAINST_TICKS, creep);
    if (knowsStart && this.#against >= enoughIfKnown && this.#dueUnloaded >= KNOWN_DUE_TICKS) return true;
    // What still turned from before ticks ever more slowly; what turns faster than at first was set off by this power.
    return this.#against >= enough && this.#backSec / this.#against < this.#restSec / 2;
  }

  #turn({ power, breakaway, knowsStart }: MotionFaultSample, direction: number, sec: number): void {
    const spareIfKnown = this.#hasTicked ? SPARE_TORQUE_TURNING : SPARE_TORQUE;
    const spare = knowsStart ? spareIfKnown : 0;
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
