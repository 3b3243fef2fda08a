import type { MotorModel } from './motor-model.ts';

/**
 * A known motor counts as stalled after it missed this many ticks and revolutions: it may have to cross its backlash
 * first.
 */
const DUE_TICKS = 1.2;
const DUE_REVOLUTIONS = 1.5 / 360;
/** An unknown motor, whose friction and gain are guessed, after it missed this many ticks. */
const FIRST_DUE_TICKS = 2;
/** Time without a tick that is always allowed. With one control step, 0.3 s. */
const STALL_SEC = 0.28;
/** If the model expects no tick at the given power, the motor counts as stalled after this time. */
const LONGEST_STALL_SEC = 1;
/** Ticks against the power, while others were due, after which an encoder counts as reversed. */
const AGAINST_TICKS = 3;
/** The same for a known motor, before its first tick in this direction. */
const KNOWN_AGAINST_TICKS = 2;
const KNOWN_DUE_TICKS = 1.5;
/** And revolutions: a motor at rest may still creep and cross its backlash. */
const AGAINST_REVOLUTIONS = 5 / 360;
/** Torque of an unknown load that is tolerated before a motor that does not turn is suspected, share of full torque. */
const SPARE_TORQUE = 0.15;
/** The same after it has ticked: a load that starts to brake it then may be larger. */
const SPARE_TORQUE_TURNING = 0.2;
/** How long a motor must have had more torque than that. */
const DUE_SEC = 0.15;
const FIRST_DUE_SEC = 0.2;
/** At most this much of the time between two samples counts towards what a motor should have done. */
const LONGEST_SEEN_SEC = 0.05;
/** How many times slower than the model says a motor may start. */
const SLOWER = 1.3;

/**
 * How many ticks against its power a motor cannot make by itself.
 * @param tick revolutions per tick
 */
export function ticksAgainst(tick: number): number {
  return Math.max(AGAINST_TICKS, AGAINST_REVOLUTIONS / tick);
}

export interface MotionFaultSample {
  readonly sec: number;
  /** Ticks since the previous sample, signed. */
  readonly ticks: number;
  /** Signed power sent. */
  readonly power: number;
  /** Estimated and wanted speed, signed revolutions per second. */
  readonly speed: number;
  readonly wantedSpeed: number;
  /** Power above which the motor should turn. */
  readonly breakaway: number;
  /** Whether that is known and not guessed. */
  readonly knowsStart: boolean;
}

/**
 * Detects a motor that does not turn, or whose encoder counts in the wrong direction, from how far a sluggish motor
 * with the learned model would have moved since the last tick in the direction of its power. Pure: no clock.
 */
export class MotionFaultDetector {
  readonly #model: MotorModel;
  readonly #tick: number;
  #direction = 0;
  #speed = 0;
  #due = 0;
  #dueSec = 0;
  /** Speed and ticks that were due if only friction held the motor. */
  #unloadedSpeed = 0;
  #dueUnloaded = 0;
  #wantedTicks = 0;
  #silentSec = 0;
  #against = 0;
  /** Whether it has ever ticked in the direction of its power. */
  #hasTicked = false;
  /** Time before its first tick against the power, and since then. */
  #restSec = 0;
  #backSec = 0;

  /** @param tick revolutions per tick */
  constructor(model: MotorModel, tick: number) {
    this.#model = model;
    this.#tick = tick;
  }

  /** Time since the last tick, seconds. */
  get silentSec(): number {
    return this.#silentSec;
  }

  /** The fault, as soon as it is certain. */
  check(sample: MotionFaultSample): 'stalled' | 'reversed' | undefined {
    const { ticks, power } = sample;
    // If the program hung, the power meanwhile is unknown: outputs may have expired.
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
    // A motor that was still coasting ticks more and more slowly; one that gets faster was started by this power.
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
