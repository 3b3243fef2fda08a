import { Sleeper } from '../../../base/clock.ts';
import { LostEdgeDetector } from './motion/lost-edge-detector.ts';
import { CONTROL_STOP_BELOW_POWER, type PowerLimits } from './drive/limits.ts';
import { MotionControl, type SpeedGains } from './motion/motion-control.ts';
import { MotionFaultDetector } from './motion/motion-fault-detector.ts';
import { MotorModel } from './motion/motor-model.ts';
import { MotorTuning } from './tuning/motor-tuning.ts';
import { PoweredMotor, type PoweredMotorOptions } from './powered-motor.ts';
import { readWithTimeout } from '../read-with-timeout.ts';
import { doTuningCommand } from './tuning/tune-command.ts';
import { isDirectedEncoder } from '../directed-encoder.ts';
import { isSuperseded } from '../single-operation.ts';
import type { Encoder } from '../../../apis/encoder.ts';
import type { MotorProperties } from '../../../apis/motor.ts';
import type { CallOptions, JsonObject } from '../../../apis/resource.ts';
import { ArmatureError, toArmatureError } from '../../../base/errors.ts';

export interface EncodedMotorOptions extends PoweredMotorOptions {
  readonly encoder: Encoder;
  /** Encoder ticks per turn, more than 0. */
  readonly ticksPerRotation: number;
  /** How far from its goal a motion may end, degrees; 0 or absent means the larger of 2 ticks and 2 degrees. */
  readonly toleranceDeg?: number;
  /** Gains that replace those derived from the learned model. */
  readonly gains?: TickGains | undefined;
}

/** Gains for a speed error in ticks per second, in 255ths of full power. */
export interface TickGains {
  readonly p: number;
  readonly i: number;
  readonly d: number;
}

/** Settings that an encoded motor applies without stopping. */
export interface EncodedSettings {
  readonly ticksPerRotation: number;
  readonly limits: PowerLimits;
  readonly slewPerSec: number;
  readonly freqHz: number;
  readonly toleranceDeg: number;
  readonly gains: TickGains | undefined;
}

const CONTROL_PERIOD_MS = 10;
/** How long an encoder may fail to answer before the motor is stopped. */
const ENCODER_TIMEOUT_MS = 500;
/** How much longer than expected a motion may take. */
const SETTLE_SEC = 5;
/** Default tolerance: the larger of the two. */
const TOLERANCE_TICKS = 2;
/** Number of power steps that configured gains are expressed in. */
const POWER_STEPS = 255;
const TOLERANCE_REVOLUTIONS = 2 / 360;

interface Motion {
  readonly name: string;
  /** Unsigned speed, revolutions per minute. */
  readonly rpm: number;
  readonly direction: 1 | -1;
  /** Signed distance from here; undefined: turn until changed. */
  readonly revolutions: number | undefined;
}

/** A motor with an encoder: position is measured, speed and goals are controlled. */
export class EncodedMotor extends PoweredMotor {
  readonly #encoder: Encoder;
  readonly #model = new MotorModel();
  readonly #tuning: MotorTuning;
  #ticksPerRotation: number;
  #toleranceDeg: number;
  #gains: TickGains | undefined;
  #zeroTicks = 0;
  #isFollowing = false;

  constructor(options: EncodedMotorOptions) {
    super(options);
    this.#encoder = options.encoder;
    this.#ticksPerRotation = options.ticksPerRotation;
    this.#toleranceDeg = options.toleranceDeg ?? 0;
    this.#gains = options.gains;
    this.#tuning = new MotorTuning({
      name: this.name,
      clock: this.clock,
      guard: this.guard,
      output: this.output,
      model: this.#model,
      ticksPerRotation: () => this.#ticksPerRotation,
      ticks: (signal) => this.#ticks(signal),
      encoderFailed: (cause) => this.#encoderFailed(cause),
      lostPower: (loss) => this.lostPower(loss),
      report: (finding, faults, operation) => this.#report(finding, faults, operation),
    });
  }

  /** See {@link doTuningCommand}: `tune` is a motion like any other. */
  doCommand(command: JsonObject, options: CallOptions = {}): Promise<JsonObject> {
    return doTuningCommand(this, this.#tuning, command, options);
  }

  protected override onPower(): void {
    // Position is measured, so nothing is estimated from the power.
  }

  override async goFor(rpm: number, revolutions: number, options: CallOptions = {}): Promise<void> {
    this.requireSpeed(rpm);
    this.requireDistance(revolutions);
    const signed = Math.sign(rpm) * revolutions;
    await this.guard.run('GoFor', options.signal, (signal) =>
      this.#turn({ name: 'GoFor', rpm: Math.abs(rpm), direction: signOf(signed), revolutions: signed }, signal),
    );
  }

  override async goTo(rpm: number, positionRevolutions: number, options: CallOptions = {}): Promise<void> {
    this.requireSpeed(rpm);
    await this.guard.run('GoTo', options.signal, async (signal) => {
      let way: number;
      try {
        way = positionRevolutions - (await this.#ticks(signal)) / this.#ticksPerRotation;
      } catch (thrown) {
        if (isSuperseded(signal)) return;
        await this.output.off();
        throw signal.aborted ? this.guard.cancelled('GoTo') : this.#encoderFailed(thrown);
      }
      const isAtRest = this.output.power === 0 && !this.output.isRamping;
      if (Math.abs(way) * this.#ticksPerRotation <= this.#toleranceTicks() && isAtRest) return;
      await this.#turn({ name: 'GoTo', rpm: Math.abs(rpm), direction: signOf(way), revolutions: way }, signal);
    });
  }

  /** Returns once the speed is under control; later failures stop the motor and are logged. */
  override async setRpm(rpm: number): Promise<void> {
    this.requireSpeed(rpm);
    const begun = Promise.withResolvers<void>();
    const motion: Motion = { name: 'SetRPM', rpm: Math.abs(rpm), direction: signOf(rpm), revolutions: undefined };
    let hasBegun = false;
    // The caller's signal is not passed on, because the speed is held after the call has ended.
    const running = this.guard.run('SetRPM', undefined, (signal) =>
      this.#turn(motion, signal, () => {
        hasBegun = true;
        begun.resolve();
      }),
    );
    running.then(begun.resolve, (thrown: unknown) => {
      const error = toArmatureError(thrown);
      if (hasBegun) this.logger.error(error.message);
      begun.reject(error);
    });
    await begun.promise;
  }

  override resetZeroPosition(offset: number): Promise<void> {
    return this.guard.run('ResetZeroPosition', undefined, async () => {
      await this.output.off();
      try {
        await readWithTimeout(() => this.#encoder.resetPosition(), ENCODER_TIMEOUT_MS, this.clock, undefined);
      } catch (thrown) {
        throw this.#failed(`keeps its zero: encoder "${this.#encoder.name}" cannot be reset`, thrown);
      }
      this.#zeroTicks = offset * this.#ticksPerRotation;
    });
  }

  override async position(): Promise<number> {
    try {
      return (await this.#ticks(undefined)) / this.#ticksPerRotation;
    } catch (thrown) {
      throw this.#failed(`does not know its position: encoder "${this.#encoder.name}" cannot be read`, thrown);
    }
  }

  override properties(): Promise<MotorProperties> {
    return Promise.resolve({ isPositionReported: true });
  }

  override async isMoving(): Promise<boolean> {
    return this.#isFollowing || this.#tuning.progress !== undefined || (await super.isMoving());
  }

  override async status(): Promise<JsonObject> {
    return {
      power: this.output.power,
      is_moving: await this.isMoving(),
      position: await this.position(),
      position_is_estimated: false,
      ...this.braking,
    };
  }

  /** Applies new settings without stopping: running power is limited at once. */
  async apply(settings: EncodedSettings): Promise<void> {
    // Only a running measurement is ended: started with other settings, its result would be meaningless.
    if (this.#tuning.progress !== undefined) await this.stop();
    this.#ticksPerRotation = settings.ticksPerRotation;
    this.#toleranceDeg = settings.toleranceDeg;
    this.#gains = settings.gains;
    await this.setPwmFrequency(settings.freqHz);
    await this.output.setLimits(settings.limits, settings.slewPerSec);
  }

  /** Ticks from zero. An encoder that hangs is treated like one that fails, and does not delay a Stop. */
  async #ticks(signal: AbortSignal | undefined): Promise<number> {
    const read = () => this.#encoder.position('ticks');
    return (await readWithTimeout(read, ENCODER_TIMEOUT_MS, this.clock, signal)).value - this.#zeroTicks;
  }

  async #turn(motion: Motion, signal: AbortSignal, onBegun?: () => void): Promise<void> {
    this.#isFollowing = true;
    let hasArrived = false;
    const sleeper = new Sleeper(this.clock, signal);
    try {
      await this.#follow(motion, signal, sleeper, onBegun);
      hasArrived = !signal.aborted;
    } finally {
      sleeper.close();
      this.#isFollowing = false;
      // A newer command decides what the motor does next; otherwise the motor is stopped.
      if (!isSuperseded(signal)) await (hasArrived ? this.output.brake() : this.output.off());
    }
    if (signal.aborted && !isSuperseded(signal)) throw this.guard.cancelled(motion.name);
  }

  /** The control loop: ends at the goal, when aborted, or with an error. */
  async #follow(
    motion: Motion,
    signal: AbortSignal,
    sleeper: Sleeper,
    onBegun: (() => void) | undefined,
  ): Promise<void> {
    const perTurn = this.#ticksPerRotation;
    const cruise = motion.rpm / 60;
    let measured: number;
    try {
      measured = await this.#ticks(signal);
    } catch (thrown) {
      if (isAborted(signal)) return;
      throw this.#encoderFailed(thrown);
    }
    const tick = 1 / perTurn;
    // The shaft's position within its tick is unknown: the middle is the best guess, for the start and the goal.
    const goal = motion.revolutions === undefined ? undefined : (measured + 0.5) * tick + motion.revolutions;
    const startSpeed = this.output.power * (this.#model.gain ?? 0);
    this.#model.begin(cruise);
    const control = new MotionControl(this.#model, {
      count: measured,
      startSpeed,
      direction: motion.direction,
      goal,
      cruise,
      tick,
      tolerance: this.#toleranceTicks() * tick,
      mayReverse: !isDirectedEncoder(this.#encoder),
      gains: this.#speedGains(),
    });
    const faults = new MotionFaultDetector(this.#model, tick);
    const lostEdges = new LostEdgeDetector(this.#encoder, {
      motor: this.name,
      operation: motion.name,
      hasGoal: goal !== undefined,
    });
    const dueMs = this.clock.monotonic() + 1_000 * (SETTLE_SEC + (4 * Math.abs(motion.revolutions ?? 0)) / cruise);
    let lastMs = this.clock.monotonic();
    let answeredMs = lastMs;
    const lossBefore = this.output.loss;
    onBegun?.();
    for (;;) {
      await sleeper.sleep(CONTROL_PERIOD_MS);
      if (signal.aborted) return;
      const { loss } = this.output;
      if (loss !== undefined && loss !== lossBefore) throw this.lostPower(loss);
      const now = this.clock.monotonic();
      const before = measured;
      try {
        measured = await this.#ticks(signal);
        answeredMs = now;
      } catch (thrown) {
        if (isAborted(signal)) return;
        if (this.clock.monotonic() - answeredMs >= ENCODER_TIMEOUT_MS) throw this.#encoderFailed(thrown);
        continue;
      }
      if (isAborted(signal)) return;
      lostEdges.check(this.logger);
      const sec = Math.max(1, now - lastMs) / 1_000;
      lastMs = now;
      const sentPower = this.output.power;
      const { min: minPower, max: maxPower } = this.output.limits;
      const power = control.step({ sec, count: measured, sentPower, minPower, maxPower });
      if (control.isDone) return;
      const { speed, wantedSpeed, breakaway, knowsStart } = control;
      const ticks = measured - before;
      const finding = faults.check({ sec, ticks, power: sentPower, speed, wantedSpeed, breakaway, knowsStart });
      this.#report(finding, faults, motion.name);
      if (goal !== undefined && now > dueMs) throw this.#notSettled(goal, (measured + 0.5) * tick);
      await this.output.request(power, CONTROL_STOP_BELOW_POWER);
    }
  }

  /** The configured gains for an error in revolutions per second, as shares of full power. */
  #speedGains(): SpeedGains | undefined {
    if (this.#gains === undefined) return undefined;
    const share = this.#ticksPerRotation / POWER_STEPS;
    const { p, i, d } = this.#gains;
    return { p: p * share, i: i * share, d: d * share };
  }

  /** How many ticks from the goal count as arrived. */
  #toleranceTicks(): number {
    if (this.#toleranceDeg > 0) return Math.max(1, (this.#toleranceDeg / 360) * this.#ticksPerRotation);
    return Math.max(TOLERANCE_TICKS, TOLERANCE_REVOLUTIONS * this.#ticksPerRotation);
  }

  #report(finding: 'stalled' | 'reversed' | undefined, faults: MotionFaultDetector, operation: string): void {
    if (finding === undefined) return;
    const message =
      finding === 'stalled'
        ? `Motor "${this.name}" gets ${Math.round(Math.abs(this.output.power) * 100)} % power but encoder "${this.#encoder.name}" has counted nothing for ${faults.silentSec.toFixed(1)} s; it was stopped. The motor may lack its supply or be blocked, max_power_pct may be too low, or the encoder's pins or wires may be wrong.`
        : `Encoder "${this.#encoder.name}" counts against the direction of motor "${this.name}"; it was stopped. Swap the encoder's pins a and b, or change dir_flip.`;
    throw new ArmatureError('hardware.failed', message, {
      details: { motor: this.name, operation, finding },
    });
  }

  #encoderFailed(cause: unknown): ArmatureError {
    return this.#failed(`was stopped: encoder "${this.#encoder.name}" cannot be read`, cause);
  }

  #failed(what: string, cause: unknown): ArmatureError {
    const message = `Motor "${this.name}" ${what}: ${toArmatureError(cause).message}. Check the encoder and its wires.`;
    return new ArmatureError('hardware.failed', message, { cause });
  }

  #notSettled(goal: number, measured: number): ArmatureError {
    const ticks = Math.round((measured - goal) * this.#ticksPerRotation);
    return new ArmatureError(
      'hardware.failed',
      `Motor "${this.name}" was stopped ${ticks} ticks from its goal: it did not come to rest there in time. It may be too weak for its load at this power, or min_power_pct or the speed too high.`,
      { details: { motor: this.name, ticks } },
    );
  }
}

function signOf(value: number): 1 | -1 {
  return value < 0 ? -1 : 1;
}

/** A function call, because the signal may have changed during an await. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
