import { CONTROL_STOP_BELOW_POWER } from '../drive/limits.ts';
import type { MotorModel } from '../motion/motor-model.ts';
import type { MotorOutput, PowerLoss } from '../drive/motor-output.ts';
import { MotionFaultDetector, ticksAgainst } from '../motion/motion-fault-detector.ts';
import { fitSteps, type StepFit, type StepRun, type StepSample } from './step-fit.ts';
import { closedLoopSecFor, gainsFor, type TunedGains } from './tuning-rule.ts';
import { isSuperseded, type SingleOperation } from '../../single-operation.ts';
import { sleep, type Clock } from '../../../../base/clock.ts';
import { ArmatureError } from '../../../../base/errors.ts';

/** How a motor is measured. */
export interface TuningPlan {
  /** Power of the step, more than 0 to 1; undefined: half, or more if the motor needs it. */
  readonly power: number | undefined;
  /** Duration of the step in each direction, seconds. */
  readonly durationSec: number;
  /** Maximum distance from the start in either direction, revolutions. */
  readonly maxRevolutions: number;
  /** Wanted time constant of the controlled speed, seconds; undefined: the shortest that the measurement supports. */
  readonly closedLoopSec: number | undefined;
}

/** The result of a measurement. Revolutions and seconds; powers are shares of full power. */
export interface Tuning extends StepFit {
  readonly samples: readonly StepSample[];
  readonly ticksPerRotation: number;
  /** Power of the step. */
  readonly power: number;
  /** Power at which the encoder first counted; the larger one of both directions. */
  readonly breakaway: number;
  /** Farthest distance from the start, and the end position, revolutions. */
  readonly farthest: number;
  readonly ended: number;
  readonly closedLoopSec: number;
  readonly gains: TunedGains;
  /** Wall-clock time of the end, ms. */
  readonly atMs: number;
}

export type TuningPhase = 'rest' | 'start' | 'step' | 'stop';

/** The progress of a measurement. */
export interface TuningProgress {
  readonly phase: TuningPhase;
  readonly direction: 1 | -1;
  /** Completed share, 0 to 1. */
  readonly share: number;
}

/** The part of a motor that tuning uses. */
export interface TunedMotor {
  readonly name: string;
  readonly clock: Clock;
  readonly guard: SingleOperation;
  readonly output: MotorOutput;
  readonly model: MotorModel;
  ticksPerRotation(): number;
  /** Counted ticks; rejects if the encoder does not answer in time. */
  ticks(signal: AbortSignal): Promise<number>;
  encoderFailed(cause: unknown): ArmatureError;
  lostPower(loss: PowerLoss): ArmatureError;
  /** Throws the motion error for this fault. */
  report(finding: 'stalled' | 'reversed' | undefined, watch: MotionFaultDetector, operation: string): void;
}

const OPERATION = 'Tune';
const PERIOD_MS = 10;
const ENCODER_TIMEOUT_MS = 500;
/** If the time between two samples is longer than this, the program hung. */
const HUNG_MS = 40;
/** Rate and maximum of the power until the shaft turns, as for an unknown motor. */
const RAMP_PER_SEC = 0.3;
const MAX_START_POWER = 0.7;
const DEFAULT_POWER = 0.5;
/**
 * Minimum difference between the step's power and the power that started the shaft; otherwise gain and losses cannot be
 * distinguished.
 */
const STEP_ABOVE_START = 0.25;
const MIN_STEP = 0.05;
/** How long the power that started the shaft is held, so that there are two powers to compare. */
const HOLD_SEC = 0.4;
/** Without a second tick for this long, the shaft is stuck again. */
const STUCK_SEC = 0.5;
const PROOF_TICKS = 2;
/** Without a tick for this long, a shaft is at rest. */
const REST_SEC = 0.4;
const LONGEST_REST_SEC = 10;
/** How many times longer the way back may take than the way there. */
const LONGER_BACK = 1.5;
/** Minimum wanted speed that the fault detection assumes, revolutions per second. */
const WATCHED_SPEED = 0.5;
/** Limit of the time in which a motor loses its speed, which is hardly known before the measurement. */
const LONGEST_RUN_OUT_SEC = 0.3;
/** Requirements for a fit to be accepted. */
const MIN_TICKS = 24;
const MIN_R2 = 0.9;
/** Shares of the total duration at which the phases of a direction end. */
const PARTS = { rest: 0, start: 0.3, step: 0.75, stop: 1 } as const;

/**
 * Measures how a motor responds to power: the power is raised until the shaft turns, stepped up, and switched off; then
 * the same backward. It is a motion of the motor like any other: whatever stops those stops it, and the encoder is
 * monitored with the same errors. The motor is off when it ends, for any reason.
 */
export class MotorTuning {
  readonly #motor: TunedMotor;
  #progress: TuningProgress | undefined;
  #last: Tuning | undefined;

  constructor(motor: TunedMotor) {
    this.#motor = motor;
  }

  /** Undefined if no measurement is running. */
  get progress(): TuningProgress | undefined {
    return this.#progress;
  }

  /** The last result; undefined before the first one. */
  get last(): Tuning | undefined {
    return this.#last;
  }

  /**
   * Throws `call.cancelled` if it was stopped, `hardware.failed` for a fault of motor or encoder, and
   * `resource.not_ready` if the measurement was not informative enough.
   */
  async run(plan: TuningPlan, callerSignal: AbortSignal | undefined): Promise<Tuning> {
    const { guard, output, clock } = this.#motor;
    let tuning: Tuning | undefined;
    await guard.run(OPERATION, callerSignal, async (signal) => {
      const measurement = new Measurement(this.#motor, plan, signal, (progress) => (this.#progress = progress));
      try {
        await measurement.run();
      } finally {
        this.#progress = undefined;
        await output.off();
      }
      tuning = { ...measurement.found(), atMs: clock.now() };
    });
    if (tuning === undefined) throw ended(this.#motor.name);
    return (this.#last = tuning);
  }
}

/** One measurement, from its beginning to its end. */
class Measurement {
  readonly #motor: TunedMotor;
  readonly #plan: TuningPlan;
  readonly #signal: AbortSignal;
  readonly #onProgress: (progress: TuningProgress) => void;
  readonly #ticksPerRotation: number;
  readonly #againstTicks: number;
  readonly #faults: MotionFaultDetector;
  readonly #samples: StepSample[] = [];
  readonly #runs: StepRun[] = [];
  readonly #lossBefore: PowerLoss | undefined;
  #startMs = 0;
  #answeredMs = 0;
  #lastMs = 0;
  #wasHung = false;
  #origin = 0;
  #farthest = 0;
  #breakaway = 0;
  /** Power that is known to turn the shaft in this run, in whichever direction its encoder counts. */
  #turnsAt: number | undefined;
  #stepPower = 0;
  #wasCut = false;
  #silentSec = 0;
  #share = 0;

  constructor(
    motor: TunedMotor,
    plan: TuningPlan,
    signal: AbortSignal,
    onProgress: (progress: TuningProgress) => void,
  ) {
    this.#motor = motor;
    this.#plan = plan;
    this.#signal = signal;
    this.#onProgress = onProgress;
    this.#ticksPerRotation = motor.ticksPerRotation();
    this.#againstTicks = ticksAgainst(1 / this.#ticksPerRotation);
    this.#faults = new MotionFaultDetector(motor.model, 1 / this.#ticksPerRotation);
    this.#lossBefore = motor.output.loss;
  }

  async run(): Promise<void> {
    const { clock, output } = this.#motor;
    await output.off();
    this.#startMs = this.#answeredMs = this.#lastMs = clock.monotonic();
    this.#reportProgress('rest', 1, 0);
    while (this.#samples.length === 0) await this.#sample();
    await this.#rest('rest', 1);
    this.#origin = this.#now.count;
    this.#farthest = 0;
    const ranOut = await this.#turn(1, undefined);
    await this.#turn(-1, ranOut);
  }

  /** Throws if the result cannot be trusted. */
  found(): Omit<Tuning, 'atMs'> {
    const { name } = this.#motor;
    const tick = 1 / this.#ticksPerRotation;
    const samples = this.#samples;
    for (const { direction, turning, off } of this.#runs) {
      const ticks = Math.abs((samples[off] as StepSample).count - (samples[turning] as StepSample).count);
      if (ticks >= MIN_TICKS) continue;
      throw this.#unfit(
        `its encoder counted only ${ticks} ticks while it turned ${direction > 0 ? 'forward' : 'backward'}; at least ${MIN_TICKS} are needed`,
        { ticks },
      );
    }
    const fit = fitSteps(samples, this.#runs, tick);
    if (fit === undefined) throw this.#unfit('no model fits what it did', {});
    if (fit.quality.r2 < MIN_R2) {
      const share = Math.round(100 * Math.max(0, fit.quality.r2));
      throw this.#unfit(
        `a motor with friction explains only ${share} % of what "${name}" did. Its load may change, a pull may work on it in one direction, or the encoder may slip`,
        { r2: fit.quality.r2 },
      );
    }
    const closedLoopSec = this.#plan.closedLoopSec ?? closedLoopSecFor(fit.model, tick);
    return {
      ...fit,
      samples,
      ticksPerRotation: this.#ticksPerRotation,
      power: this.#stepPower,
      breakaway: this.#breakaway,
      farthest: this.#farthest * tick,
      ended: (this.#now.count - this.#origin) * tick,
      closedLoopSec,
      gains: gainsFor(fit.model, tick, closedLoopSec),
    };
  }

  #unfit(why: string, details: Record<string, unknown>): ArmatureError {
    const help = this.#wasCut
      ? `It was cut short at ${this.#plan.maxRevolutions} revolutions: raise max_revolutions or lower power_pct.`
      : 'Try again with a longer duration_sec or another power_pct.';
    return new ArmatureError('resource.not_ready', `Motor "${this.#motor.name}" was not tuned: ${why}. ${help}`, {
      details: { motor: this.#motor.name, ...details },
    });
  }

  get #now(): StepSample {
    return this.#samples.at(-1) as StepSample;
  }

  /**
   * One direction: until the shaft turns, the step, and until it rests. Returns how many ticks it coasted without
   * power.
   * @param ranOut ticks that it coasted in the other direction; if given, this run ends near the start
   */
  async #turn(direction: 1 | -1, ranOut: number | undefined): Promise<number> {
    const { output, model } = this.#motor;
    // A stretch that is learned from must not include a rest, and no speed is known yet.
    model.begin(0);
    this.#turnsAt = undefined;
    const begin = this.#samples.length - 1;
    const turning = await this.#start(direction);
    const stepPower = this.#powerOfStep();
    this.#stepPower = Math.max(this.#stepPower, stepPower);
    this.#turnsAt = this.#breakaway;
    const since = this.#now.sec;
    const { durationSec, maxRevolutions } = this.#plan;
    const longest = ranOut === undefined ? durationSec : LONGER_BACK * durationSec;
    await this.#send(stepPower * direction);
    while (this.#now.sec - since < longest) {
      if (await this.#sample()) this.#reportProgress('step', direction, (this.#now.sec - since) / longest);
      const away = (this.#now.count - this.#origin) * direction;
      if (ranOut !== undefined && away + ranOut >= 0) break;
      if (away + this.#runOut() < maxRevolutions * this.#ticksPerRotation) continue;
      this.#wasCut = true;
      break;
    }
    const off = this.#samples.length - 1;
    const { count } = this.#now;
    await output.off();
    await this.#rest('stop', direction);
    this.#runs.push({ direction, begin, turning, off, end: this.#samples.length - 1 });
    return Math.abs(this.#now.count - count);
  }

  /** Raises the power until the shaft turns, and holds it for a while. Returns the sample of the first tick. */
  async #start(direction: 1 | -1): Promise<number> {
    const { output, model } = this.#motor;
    const most = this.#mostStartPower;
    const before = this.#now.count;
    let [turning, power, since] = [0, output.limits.min, 0];
    for (;;) {
      const last = this.#now;
      await this.#send(direction * power);
      if (!(await this.#sample())) continue;
      const { sec, count } = this.#now;
      const ticks = (count - before) * direction;
      const isTurning = turning > 0 && this.#silentSec < STUCK_SEC;
      this.#reportProgress('start', direction, turning > 0 ? 0.5 + (0.5 * (sec - since)) / HOLD_SEC : power);
      if (isTurning) {
        if (sec - since >= HOLD_SEC && ticks >= PROOF_TICKS) return turning;
      } else if (ticks > 0 && count !== last.count) {
        turning = this.#samples.length - 1;
        since = sec;
        this.#breakaway = Math.max(this.#breakaway, Math.abs(output.power));
        model.started(Math.abs(output.power), direction);
      } else if (-ticks >= this.#againstTicks) {
        // More power would not help if the encoder counts in the wrong direction.
        this.#turnsAt = 0;
      } else {
        power = Math.min(most, power + RAMP_PER_SEC * (sec - last.sec));
      }
      this.#mustStayWithin(Math.max((count - this.#origin) * direction, -ticks));
    }
  }

  get #mostStartPower(): number {
    return Math.min(this.#motor.output.limits.max, MAX_START_POWER);
  }

  #mustStayWithin(away: number): void {
    if (away < this.#plan.maxRevolutions * this.#ticksPerRotation) return;
    this.#wasCut = true;
    throw this.#unfit('it had turned so far before its step of power', {});
  }

  #powerOfStep(): number {
    const { limits } = this.#motor.output;
    const { power = Math.max(DEFAULT_POWER, this.#breakaway + STEP_ABOVE_START) } = this.#plan;
    const sent = Math.max(limits.min, Math.min(limits.max, power));
    if (sent >= this.#breakaway + MIN_STEP) return sent;
    const percent = (share: number): number => Math.ceil(100 * share);
    throw new ArmatureError(
      'call.bad_argument',
      `Motor "${this.#motor.name}" was not tuned: it began to turn at ${percent(this.#breakaway)} % power, and a step to ${percent(sent)} % shows too little. Raise power_pct, or max_power_pct of the motor.`,
      { details: { motor: this.#motor.name, breakaway: this.#breakaway, power: sent } },
    );
  }

  /** How many ticks it may coast without power, estimated from its speed. */
  #runOut(): number {
    const { model } = this.#motor;
    const last = this.#now;
    const first = this.#samples.findLast(({ sec }) => last.sec - sec >= 0.05) ?? last;
    const speed = last.sec > first.sec ? Math.abs(last.count - first.count) / (last.sec - first.sec) : 0;
    return speed * (model.isLearned ? model.delaySec : LONGEST_RUN_OUT_SEC);
  }

  async #rest(phase: 'rest' | 'stop', direction: 1 | -1): Promise<void> {
    const begun = this.#now.sec;
    this.#silentSec = 0;
    while (this.#silentSec < REST_SEC) {
      await this.#sample();
      this.#reportProgress(phase, direction, this.#silentSec / REST_SEC);
      if (this.#now.sec - begun < LONGEST_REST_SEC) continue;
      throw this.#unfit(`it did not come to rest within ${LONGEST_REST_SEC} s without power`, {});
    }
  }

  async #send(power: number): Promise<void> {
    if (this.#signal.aborted) throw this.#ended();
    await this.#motor.output.request(power, CONTROL_STOP_BELOW_POWER);
  }

  /** Waits for the next sampling time and reads the encoder; false if it did not answer this time. */
  async #sample(): Promise<boolean> {
    const { clock, output, model } = this.#motor;
    const signal = this.#signal;
    await sleep(clock, PERIOD_MS, signal);
    if (signal.aborted) throw this.#ended();
    const { loss } = output;
    if (loss !== undefined && loss !== this.#lossBefore) throw this.#motor.lostPower(loss);
    const nowMs = clock.monotonic();
    let count: number;
    try {
      count = await this.#motor.ticks(signal);
      this.#answeredMs = nowMs;
    } catch (thrown) {
      if (signal.aborted) throw this.#ended();
      if (clock.monotonic() - this.#answeredMs >= ENCODER_TIMEOUT_MS) throw this.#motor.encoderFailed(thrown);
      return false;
    }
    if (signal.aborted) throw this.#ended();
    const before = this.#samples.at(-1);
    // After a hang the count may lag behind: the true count at this moment is unknown.
    const hung = nowMs - this.#lastMs > HUNG_MS && !this.#wasHung;
    this.#lastMs = nowMs;
    this.#wasHung = hung;
    if (hung) return false;
    const sec = (nowMs - this.#startMs) / 1_000;
    if (before !== undefined && sec <= before.sec) return false;
    const { power } = output;
    this.#samples.push({ sec, count, power });
    if (before === undefined) return true;
    const passed = sec - before.sec;
    this.#silentSec = count === before.count ? this.#silentSec + passed : 0;
    this.#farthest = Math.max(this.#farthest, Math.abs(count - this.#origin));
    const tick = 1 / this.#ticksPerRotation;
    model.observe(passed, (count + 0.5) * tick, power, tick);
    this.#look(passed, count - before.count, power);
    return true;
  }

  #look(sec: number, ticks: number, power: number): void {
    const { model } = this.#motor;
    const { isLearned: knowsStart } = model;
    const expected = model.breakaway(knowsStart ? model.holdingFriction : undefined);
    const breakaway = Math.min(expected, this.#turnsAt ?? 1);
    // While the power is still rising, the motor may stand still.
    const shouldTurn = this.#turnsAt !== undefined || Math.abs(power) >= this.#mostStartPower;
    const finding = this.#faults.check({
      sec,
      ticks,
      power,
      speed: 0,
      wantedSpeed: shouldTurn ? Math.sign(power) * WATCHED_SPEED : 0,
      breakaway,
      knowsStart,
    });
    this.#motor.report(finding, this.#faults, OPERATION);
  }

  #reportProgress(phase: TuningPhase, direction: 1 | -1, part: number): void {
    const phases = ['rest', 'start', 'step', 'stop'] as const;
    const ends = PARTS[phase];
    const begins = PARTS[phases[Math.max(0, phases.indexOf(phase) - 1)] as TuningPhase];
    const own = begins + (ends - begins) * Math.min(1, Math.max(0, part));
    this.#share = Math.max(this.#share, ((direction > 0 ? 0 : 1) + own) / 2);
    this.#onProgress({ phase, direction, share: this.#share });
  }

  #ended(): ArmatureError {
    return isSuperseded(this.#signal) ? ended(this.#motor.name) : this.#motor.guard.cancelled(OPERATION);
  }
}

function ended(motor: string): ArmatureError {
  return new ArmatureError(
    'call.cancelled',
    `${OPERATION} of motor "${motor}" ended early and switched it off: Stop, another command or new settings took over.`,
    { details: { motor } },
  );
}
