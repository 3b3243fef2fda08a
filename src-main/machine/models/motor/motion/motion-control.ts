import { clamp, type MotorModel } from './motor-model.ts';
import { MotionObserver } from './motion-observer.ts';

/** The task of a motion. Revolutions and seconds. */
export interface MotionTask {
  /** Ticks at the start. */
  readonly count: number;
  /** Signed speed at the start, as far as known. */
  readonly startSpeed: number;
  readonly direction: 1 | -1;
  /** Where to stop; undefined: turn until changed. */
  readonly goal: number | undefined;
  /** Target speed, more than 0. */
  readonly cruise: number;
  /** Revolutions per tick. */
  readonly tick: number;
  /** Distance from the goal that counts as arrived. */
  readonly tolerance: number;
  /** Whether power may be reversed while the motor turns. */
  readonly mayReverse: boolean;
  /** Gains that replace those derived from the model. */
  readonly gains: SpeedGains | undefined;
}

export interface ControlSample {
  readonly sec: number;
  /** Ticks counted by now. */
  readonly count: number;
  /** Signed power sent since the previous sample. */
  readonly sentPower: number;
  readonly maxPower: number;
  readonly minPower: number;
}

/** Configured gains for a speed error, in full power per revolution per second. */
export interface SpeedGains {
  readonly p: number;
  readonly i: number;
  readonly d: number;
}

/** Share of the available torque that speeding up and slowing down are planned with; the rest covers model errors. */
const SPEED_UP_SHARE = 0.85;
const BRAKE_SHARE = 0.7;
/** Share of the friction that slowing down relies on. */
const BRAKE_FRICTION = 0.5;
/** Minimum time in which an unknown motor is brought to its speed. */
const CAREFUL_RAMP_SEC = 0.4;
/** Fastest ramp: a few control steps. */
const SHORTEST_RAMP_SEC = 0.06;
/** Approach to the goal: speed per remaining revolution, 1/s. */
const CLOSE_IN_PER_SEC = 12;
const CAREFUL_CLOSE_IN_PER_SEC = 3;
const CAREFUL_BRAKE_SHARE = 0.25;
/** Time in which an unknown motor is assumed to slow down. */
const SLOW_DELAY_SEC = 1;
/** How fast a speed error is corrected, 1/s. */
const SPEED_RATE = 22;
const MIN_SPEED_RATE = 8;
/** How fast a position lag is corrected while a speed is held, 1/s. */
const LAG_RATE = 1;
const LONGEST_LAG_SEC = 0.3;
/** Power beyond the expected breakaway that a motor gets before its encoder has counted. */
const UNSEEN_HEADROOM = 0.35;
/** A learned motor gets enough power to move it after this time, or after the time of four ticks. */
const START_RAMP_SEC = 0.15;
/** And after its first tick. */
const FIRST_TICK_HEADROOM = 0.35;
/** Rate and maximum of the power of an unknown motor before its encoder has counted. */
const FIRST_RAMP_PER_SEC = 2;
const FIRST_MOST_POWER = 0.7;
/** Maximum compensated resistance before the motor is known; an estimate beyond it is more likely a wrong guess. */
const FIRST_MOST_HELP = 0.1;
const FIRST_MOST_RESISTANCE = 0.5;
/** Number of ticks in the right direction that prove that the encoder works. */
const PROOF_TICKS = 2;
/** A motor that is late by this many ticks is stuck; its power is then increased in proportion. */
const OVERDUE_TICKS = 2;
const OVERDUE_SEC = 0.1;
const PUSH_PER_SEC = 0.5;
/** This many reversals within about this time count as hunting. */
const HUNTING_TURNS = 2.5;
const HUNTING_SEC = 0.6;
/** Without a tick for this long, a motor near its goal is at rest. */
const STILL_SEC = 0.06;

/**
 * Computes a motor's power step by step. The wanted speed follows from the remaining distance, so that a motor that was
 * held up needs no new plan. Power follows from the motor's model (feed-forward), from the resistance that the observer
 * estimates (which replaces an integral term and cannot wind up), and from the speed error. Pure: no clock.
 */
export class MotionControl {
  readonly #model: MotorModel;
  readonly #task: MotionTask;
  readonly #observer: MotionObserver;
  /** Current wanted speed, signed. */
  #wanted: number;
  /** Where a motor that holds a speed should be. */
  #lead: number;
  /** Whether the wanted speed was reached once. */
  #hasSpeed = false;
  #proven = 0;
  #unseenSec = 0;
  #stillSec = 0;
  #count: number;
  #owed = 0;
  #push = 0;
  /** Farthest count since the last reversal, and the current direction. */
  #farthest: number;
  #lastWay: number;
  /** Number of recent reversals. */
  #turnedRound = 0;
  #integral = 0;
  #lastError = 0;
  #isDone = false;

  constructor(model: MotorModel, task: MotionTask) {
    this.#model = model;
    this.#task = task;
    const { count, startSpeed: speed, tick, cruise, direction } = task;
    this.#observer = new MotionObserver(model, { count, speed }, tick);
    this.#wanted = speed * direction > 0 ? direction * Math.min(Math.abs(speed), cruise) : 0;
    this.#lead = this.#observer.position;
    this.#count = count;
    this.#farthest = count;
    this.#lastWay = direction;
    // A motor that already turns does not have to prove its encoder at low power.
    if (Math.abs(speed) > 0) this.#proven = PROOF_TICKS;
  }

  /** Whether the motor rests at its goal. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** Estimated speed, signed. */
  get speed(): number {
    return this.#observer.speed;
  }

  /** Wanted speed, signed. */
  get wantedSpeed(): number {
    return this.#wanted;
  }

  /** Whether the power needed to start in the direction of the motion is known. */
  get knowsStart(): boolean {
    return this.#model.knowsStart(this.#task.direction);
  }

  /** Power above which the motor should turn. */
  get breakaway(): number {
    const held = Math.max(this.#model.holdingFriction, this.#model.against(this.#task.direction));
    return this.#model.breakaway(this.knowsStart ? held : undefined);
  }

  /** Signed power to send next. */
  step(sample: ControlSample): number {
    const { sec, count } = sample;
    const { goal, direction, tick, tolerance } = this.#task;
    const observer = this.#observer;
    const ticks = count - this.#count;
    this.#count = count;
    if (this.#proven === 0 && ticks * direction > 0) this.#model.started(Math.abs(sample.sentPower), direction);
    this.#proven = Math.max(this.#proven, (count - this.#task.count) * direction);
    this.#stillSec = ticks === 0 ? this.#stillSec + sec : 0;
    observer.step(sec, count, sample.sentPower);
    this.#watchHunting(sec, count);
    if (this.#proven >= PROOF_TICKS && ticks !== 0) {
      this.#model.felt(sec, observer.resistance, ticks > 0 ? 1 : -1);
    }
    this.#model.observe(sec, (count + 0.5) * tick, sample.sentPower, tick);
    const most = Math.min(sample.maxPower, this.#mostPower(sec));
    if (goal !== undefined) {
      const left = goal - observer.position;
      const leftByCount = goal - (count + 0.5) * tick;
      const isNear = Math.abs(leftByCount) <= tolerance;
      const band = Math.max(0.5 * tick, 0.2 * tolerance);
      const runsOut = this.#runsOut();
      if (isNear && this.#stillSec >= STILL_SEC && Math.abs(left) + runsOut <= tolerance) {
        this.#isDone = true;
        return 0;
      }
      if (Math.abs(left) <= band && runsOut <= band) {
        this.#wanted = 0;
        this.#integral = 0;
        return 0;
      }
    }
    const acceleration = this.#plan(sec, most);
    return this.#metered(this.#power(sec, acceleration, most), sample);
  }

  /** How far it coasts without power. */
  #runsOut(): number {
    const { tick } = this.#task;
    const unseen = this.#stillSec > 0 ? tick / this.#stillSec : Number.POSITIVE_INFINITY;
    const speed = Math.abs(this.#observer.speed) + 0.35 * Math.min(this.#observer.speedUncertainty, unseen);
    // Friction would stop it sooner, but what looked like friction may have been a load that is gone.
    return this.#runOutSec() * speed;
  }

  /** An unknown motor without a goal is only slowed down by less power. */
  #mayReverse(): boolean {
    return this.#task.mayReverse && (this.#model.isLearned || this.#task.goal !== undefined);
  }

  /** Time in which it loses most of its speed without power. */
  #runOutSec(): number {
    const { isLearned, delaySec } = this.#model;
    return isLearned ? delaySec : Math.max(delaySec, SLOW_DELAY_SEC);
  }

  /** Power is limited until the encoder has counted, so that an encoder fault shows before the motor races. */
  #mostPower(sec: number): number {
    if (this.#proven >= PROOF_TICKS) return 1;
    this.#unseenSec += sec;
    const { startPower = 0 } = this.#model;
    if (this.knowsStart) {
      return this.breakaway + UNSEEN_HEADROOM + (this.#proven > 0 ? FIRST_TICK_HEADROOM : 0);
    }
    return Math.min(FIRST_MOST_POWER, Math.max(0.05, 0.7 * startPower) + FIRST_RAMP_PER_SEC * this.#unseenSec);
  }

  /** Updates the wanted speed; returns its change, revolutions per second squared. */
  #plan(sec: number, most: number): number {
    const { goal, direction, cruise, tolerance } = this.#task;
    const { position, speed, resistance } = this.#observer;
    const { delaySec, friction, deadBand } = this.#model;
    const gain = this.#model.gainOrGuess;
    let target = cruise * direction;
    let slope = 0;
    if (goal === undefined) {
      const longest = Math.max(cruise * LONGEST_LAG_SEC, 3 * this.#task.tick);
      this.#hasSpeed ||= Math.abs(this.#wanted) >= 0.99 * cruise;
      const lead = this.#hasSpeed ? this.#lead + target * sec : position;
      this.#lead = clamp(lead, position - longest, position + longest);
      target = direction * Math.max(0, (target + LAG_RATE * (this.#lead - position)) * direction);
    } else {
      const left = goal - position;
      const hasPassed = left * direction < 0;
      const closing = this.#closing(Math.abs(left));
      const isClosing = closing.speed < cruise;
      target = Math.sign(left) * Math.min(closing.speed, cruise);
      if (hasPassed && Math.abs(left) < 0.3 * tolerance) target = 0;
      slope = isClosing ? closing.slope : 0;
    }
    const before = this.#wanted;
    const way = Math.sign(target - before);
    const speedsUp = way !== 0 && before * way >= 0;
    const drag = resistance * (way === 0 ? 1 : way);
    const free = gain * (most - deadBand - friction - drag) - Math.abs(speed);
    const careful = this.#model.isLearned ? SHORTEST_RAMP_SEC : CAREFUL_RAMP_SEC;
    const upward = clamp((SPEED_UP_SHARE * free) / delaySec, (0.05 * gain) / delaySec, cruise / careful);
    const change = (speedsUp ? upward : Math.max(upward, cruise / SHORTEST_RAMP_SEC)) * sec;
    this.#wanted = Math.abs(target - before) <= change ? target : before + way * change;
    // The wanted speed waits for a motor that cannot follow; if it ran far ahead, the motor would overshoot.
    const ahead = 0.15 * gain + 0.1 * cruise;
    if (this.#wanted * way > 0) this.#wanted = way * Math.min(this.#wanted * way, Math.max(0, speed * way) + ahead);
    if (slope !== 0 && this.#wanted === target) return -slope * speed;
    return speedsUp ? clamp((this.#wanted - before) / sec, -upward, upward) : 0;
  }

  /**
   * The speed from which the motor can stop within the remaining distance, and how that falls with the distance, 1/s.
   */
  #closing(left: number): { speed: number; slope: number } {
    const { cruise } = this.#task;
    const { isLearned, delaySec, friction } = this.#model;
    const gain = this.#model.gainOrGuess;
    const { resistance } = this.#observer;
    const push = this.#mayReverse()
      ? (isLearned ? BRAKE_SHARE : CAREFUL_BRAKE_SHARE) *
        Math.max(0.1, 1 - this.#model.deadBand - friction - Math.abs(resistance))
      : 0;
    const brake = Math.min((gain * (push + BRAKE_FRICTION * friction)) / delaySec, cruise / SHORTEST_RAMP_SEC);
    const rate = isLearned ? CLOSE_IN_PER_SEC : CAREFUL_CLOSE_IN_PER_SEC;
    const straight = brake / rate ** 2;
    const braked = left < straight ? rate * left : Math.sqrt(2 * brake * (left - straight / 2));
    // Even without braking, a motor loses its speed over its delay.
    const runRate = 0.8 / (this.#runOutSec() + 0.03);
    if (runRate * left > braked) return { speed: runRate * left, slope: runRate };
    return { speed: braked, slope: left < straight ? rate : brake / braked };
  }

  #power(sec: number, acceleration: number, most: number): number {
    const { direction, goal, tick, gains } = this.#task;
    const { speed, resistance } = this.#observer;
    const { delaySec, friction } = this.#model;
    const gain = this.#model.gainOrGuess;
    const wanted = this.#wanted;
    const way = wanted === 0 ? Math.sign(speed) : Math.sign(wanted);
    const rub = wanted === 0 && Math.abs(speed) < 0.02 * gain ? 0 : way * friction;
    const forward = (wanted + delaySec * acceleration) / gain + rub;
    const error = wanted - speed;
    let power: number;
    if (gains === undefined) {
      const ticksPerSec = Math.abs(wanted) / tick;
      // A poorly known model gets weaker feedback.
      const { isLearned } = this.#model;
      const rate = isLearned ? clamp(ticksPerSec, MIN_SPEED_RATE, SPEED_RATE) : MIN_SPEED_RATE;
      const against = isLearned ? resistance : way * clamp(resistance * way, -FIRST_MOST_HELP, FIRST_MOST_RESISTANCE);
      power = forward + against + (Math.max(0.3, delaySec * rate - 1) * error) / gain;
    } else {
      power = forward + this.#fed(gains, error, sec, most, forward);
    }
    power = this.#model.compensated(power) + this.#pushed(sec, way);
    // A single-channel encoder counts in the direction of the power: if power reversed while the motor turns, it would
    // count backward.
    const isTurning = Math.abs(speed) > 0.02 * gain;
    const turns = isTurning ? Math.sign(speed) : goal === undefined ? direction : 0;
    if (!this.#mayReverse() && turns !== 0 && power * turns < 0) power = 0;
    return clamp(this.#started(power, most), -most, most);
  }

  /** A motor that oscillates gets too much power: it is quicker than the model says. */
  #watchHunting(sec: number, count: number): void {
    const { tick, tolerance } = this.#task;
    this.#turnedRound *= Math.exp(-sec / HUNTING_SEC);
    const way = (count - this.#farthest) * this.#lastWay;
    if (way > 0) this.#farthest = count;
    if (-way < Math.max(1, tolerance / tick / 2)) return;
    this.#lastWay = -this.#lastWay;
    this.#farthest = count;
    this.#turnedRound++;
    if (this.#turnedRound < HUNTING_TURNS) return;
    this.#turnedRound = 0;
    this.#model.quicken();
  }

  /** A motor that should have ticked long ago is stuck: its power increases until it ticks. */
  #pushed(sec: number, way: number): number {
    const overdue = (this.#stillSec * Math.abs(this.#wanted)) / this.#task.tick;
    const isStuck = overdue > OVERDUE_TICKS && this.#stillSec > OVERDUE_SEC;
    this.#push = isStuck ? Math.min(1, this.#push + PUSH_PER_SEC * sec) : 0;
    return way * this.#push;
  }

  /** Before its first tick, a motor gets increasing power in its direction, up to what must move it. */
  #started(power: number, most: number): number {
    const { direction, cruise, tick } = this.#task;
    if (this.#proven >= 1 || !this.#model.isLearned) return power;
    if (!this.knowsStart) return direction * most;
    const { friction, deadBand } = this.#model;
    const share = Math.min(1, this.#unseenSec / Math.max(START_RAMP_SEC, (4 * tick) / cruise));
    const least = deadBand + friction + share * (this.breakaway + UNSEEN_HEADROOM - deadBand - friction);
    return direction * Math.max(power * direction, least);
  }

  /** Feedback with the configured gains; the integral is frozen while the power is at its limit. */
  #fed({ p, i, d }: SpeedGains, error: number, sec: number, most: number, forward: number): number {
    const slope = (error - this.#lastError) / sec;
    this.#lastError = error;
    const integral = this.#integral + i * error * sec;
    const power = p * error + integral + d * slope;
    if (Math.abs(forward + power) <= most || Math.abs(integral) < Math.abs(this.#integral)) this.#integral = integral;
    return p * error + this.#integral + d * slope;
  }

  /** Power below the minimum is sent as the minimum in a share of the steps. */
  #metered(power: number, { minPower }: ControlSample): number {
    const size = Math.abs(power);
    if (size === 0 || size >= minPower) {
      this.#owed = 0;
      return power;
    }
    this.#owed += size;
    if (this.#owed < minPower) return 0;
    this.#owed -= minPower;
    return Math.sign(power) * minPower;
  }
}
