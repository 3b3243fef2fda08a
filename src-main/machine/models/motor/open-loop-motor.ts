import { sleep } from '../../../base/clock.ts';
import { limitPower, type PowerLimits } from './drive/limits.ts';
import { PoweredMotor, type PoweredMotorOptions } from './powered-motor.ts';
import { isSuperseded } from '../single-operation.ts';
import type { MotorProperties } from '../../../apis/motor.ts';
import type { CallOptions, JsonObject } from '../../../apis/resource.ts';
import { ArmatureError } from '../../../base/errors.ts';

export interface OpenLoopMotorOptions extends PoweredMotorOptions {
  /** Speed at full power, more than 0. */
  readonly maxRpm: number;
  /** True if power and time are the motor's real motion (a fake), false if they only estimate it. */
  readonly isPositionReported: boolean;
}

/** Settings that an open-loop motor applies without stopping. */
export interface OpenLoopSettings {
  readonly maxRpm: number;
  readonly limits: PowerLimits;
  readonly slewPerSec: number;
  readonly freqHz: number;
}

/** GoTo moves only if the distance is larger than this. */
const SAME_POSITION_REVOLUTIONS = 1e-6;
/** How often the remaining distance is checked while a ramp changes the power. */
const RAMP_LOOK_MS = 10;
/** Maximum time between checks, whatever the distance: no timer can exceed 24 days. */
const LONGEST_LOOK_MS = 60_000;

/**
 * A motor without an encoder. Speed is a share of its speed at full power. Position is estimated from the power that
 * was sent and for how long. Durations follow from the limited power, not from the requested speed.
 */
export class OpenLoopMotor extends PoweredMotor {
  readonly #isPositionReported: boolean;
  #maxRpm: number;
  /** The speed requested by a running command; undefined if it requested power. */
  #commandedRpm: number | undefined;
  #position = 0;
  #power = 0;
  #sinceMs: number;
  #wake = Promise.withResolvers<void>();

  constructor(options: OpenLoopMotorOptions) {
    super(options);
    this.#maxRpm = options.maxRpm;
    this.#isPositionReported = options.isPositionReported;
    this.#sinceMs = options.clock.monotonic();
  }

  protected override onPower(power: number): void {
    this.#settlePosition();
    this.#power = power;
    this.#wakeWaiting();
  }

  override setPower(power: number, options: CallOptions = {}): Promise<void> {
    return this.guard.run('SetPower', options.signal, () => {
      this.#commandedRpm = undefined;
      return this.output.command(power);
    });
  }

  override async goFor(rpm: number, revolutions: number, options: CallOptions = {}): Promise<void> {
    this.requireDistance(revolutions);
    this.#requireTurningSpeed(rpm);
    const distance = Math.sign(rpm) * revolutions;
    await this.guard.run('GoFor', options.signal, (signal) => this.#travel('GoFor', rpm, distance, signal));
  }

  override async goTo(rpm: number, positionRevolutions: number, options: CallOptions = {}): Promise<void> {
    this.#requireTurningSpeed(rpm);
    await this.guard.run('GoTo', options.signal, async (signal) => {
      const distance = positionRevolutions - this.#settlePosition();
      if (Math.abs(distance) <= SAME_POSITION_REVOLUTIONS) {
        await this.output.off();
        return;
      }
      await this.#travel('GoTo', rpm, distance, signal);
    });
  }

  override async setRpm(rpm: number, options: CallOptions = {}): Promise<void> {
    const power = this.#requireTurningSpeed(rpm);
    await this.guard.run('SetRPM', options.signal, () => {
      this.#commandedRpm = rpm;
      return this.output.request(power);
    });
  }

  override resetZeroPosition(offset: number): Promise<void> {
    return this.guard.run('ResetZeroPosition', undefined, async () => {
      await this.output.off();
      this.#position = offset === 0 ? 0 : -offset;
      this.#sinceMs = this.clock.monotonic();
    });
  }

  override position(): Promise<number> {
    return Promise.resolve(this.#settlePosition());
  }

  /** Sets the position that motion is estimated from, for a model that measures it. */
  protected reckonFrom(position: number): void {
    this.#position = position;
    this.#sinceMs = this.clock.monotonic();
  }

  override properties(): Promise<MotorProperties> {
    return Promise.resolve({ isPositionReported: this.#isPositionReported });
  }

  override async status(): Promise<JsonObject> {
    return {
      power: this.output.power,
      is_moving: await this.isMoving(),
      position: this.#settlePosition(),
      position_is_estimated: !this.#isPositionReported,
      ...this.braking,
    };
  }

  /** Applies new settings without stopping: running power is limited at once. */
  async apply(settings: OpenLoopSettings): Promise<void> {
    this.#settlePosition();
    this.#maxRpm = settings.maxRpm;
    await this.setPwmFrequency(settings.freqHz);
    await this.output.setLimits(settings.limits, settings.slewPerSec);
    // Uses the target, because a running Stop may not have switched the power off yet, and must not be undone.
    if (this.#commandedRpm !== undefined && this.output.target !== 0) {
      await this.output.request(this.#powerFor(this.#commandedRpm));
    }
    this.#wakeWaiting();
  }

  /** Validates a commanded speed before it cancels anything; returns its power. */
  #requireTurningSpeed(rpm: number): number {
    this.requireSpeed(rpm);
    if (Math.abs(rpm) > this.#maxRpm) {
      this.logger.warn(`motor "${this.name}": ${rpm} rpm is above its fastest, ${this.#maxRpm} rpm`);
    }
    return this.#powerFor(rpm);
  }

  /** Signed power for a signed speed, limited to the maximum. Throws if it is too low to turn the motor. */
  #powerFor(rpm: number): number {
    const power = Math.sign(rpm) * Math.min(1, Math.abs(rpm) / this.#maxRpm);
    if (limitPower(power, this.output.limits) !== 0) return power;
    throw new ArmatureError(
      'call.bad_argument',
      `Motor "${this.name}": ${rpm} rpm is 1 % or less of max_rpm ${this.#maxRpm}, too slow to turn it; ask for more.`,
      { details: { argument: 'rpm', found: rpm, maxRpm: this.#maxRpm } },
    );
  }

  /** Turns by a signed distance and stops. */
  async #travel(name: string, rpm: number, distance: number, signal: AbortSignal): Promise<void> {
    const direction = Math.sign(distance);
    const goal = this.#settlePosition() + distance;
    let hasArrived = false;
    try {
      this.#commandedRpm = direction * Math.abs(rpm);
      await this.output.request(this.#powerFor(this.#commandedRpm));
      await this.#waitFor(goal, direction, signal);
      hasArrived = !signal.aborted;
    } finally {
      // A newer command decides what the motor does next; otherwise the motor is stopped.
      if (!isSuperseded(signal)) await (hasArrived ? this.output.brake() : this.output.off());
    }
    if (isSuperseded(signal)) return;
    if (signal.aborted) throw this.guard.cancelled(name);
    this.#position = goal;
  }

  async #waitFor(goal: number, direction: number, signal: AbortSignal): Promise<void> {
    const lossBefore = this.output.loss;
    while (!signal.aborted) {
      const left = (goal - this.#settlePosition()) * direction;
      if (left <= 1e-9) return;
      const { loss } = this.output;
      if (loss !== undefined && loss !== lossBefore) throw this.lostPower(loss);
      if (this.output.power === 0 && !this.output.isRamping) {
        throw new ArmatureError('hardware.failed', `Motor "${this.name}" lost its power before it reached its goal.`);
      }
      const perMs = (this.output.power * direction * this.#maxRpm) / 60_000;
      const wakeUp = new AbortController();
      const waitMs = this.output.isRamping || perMs <= 0 ? RAMP_LOOK_MS : Math.min(left / perMs, LONGEST_LOOK_MS);
      void this.#wake.promise.then(() => wakeUp.abort());
      await sleep(this.clock, waitMs, AbortSignal.any([signal, wakeUp.signal]));
    }
  }

  #wakeWaiting(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers<void>();
  }

  /** Updates the estimated position to the current time. */
  #settlePosition(): number {
    const now = this.clock.monotonic();
    this.#position += (this.#power * this.#maxRpm * (now - this.#sinceMs)) / 60_000;
    this.#sinceMs = now;
    return this.#position;
  }
}
