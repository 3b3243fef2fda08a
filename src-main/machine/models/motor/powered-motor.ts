import type { Drive } from './drive/drive.ts';
import type { PowerLimits } from './drive/limits.ts';
import { MotorOutput, type PowerLoss } from './drive/motor-output.ts';
import { SingleOperation } from '../single-operation.ts';
import type { Motor, MotorPower, MotorProperties } from '../../../apis/motor.ts';
import type { CallOptions, JsonObject, StopOptions } from '../../../apis/resource.ts';
import type { Clock } from '../../../base/clock.ts';
import { ArmatureError, toArmatureError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';

export interface PoweredMotorOptions {
  readonly name: string;
  readonly drive: Drive;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: PowerLimits;
  /** Maximum change of power per second; 0 means at once. */
  readonly slewPerSec: number;
  /** How long all outputs are at zero before a reversal; none if absent. */
  readonly deadTimeMs?: number;
}

/** Speeds closer to zero than this are rejected. */
const NEARLY_ZERO_RPM = 0.1;

/** What all motors driven by power share: power, stop, limits, one command at a time. */
export abstract class PoweredMotor implements Motor {
  readonly name: string;
  protected readonly clock: Clock;
  protected readonly logger: Logger;
  protected readonly guard: SingleOperation;
  protected readonly output: MotorOutput;
  readonly #drive: Drive;
  #closing: Promise<void> | undefined;
  /** Whether a waiting stop must end with outputs off. */
  #mustEndOff = false;

  constructor(options: PoweredMotorOptions) {
    this.name = options.name;
    this.clock = options.clock;
    this.logger = options.logger;
    this.guard = new SingleOperation(`motor "${options.name}"`, () => this.output.off());
    this.#drive = options.drive;
    this.output = new MotorOutput({
      drive: options.drive,
      clock: options.clock,
      limits: options.limits,
      slewPerSec: options.slewPerSec,
      deadTimeMs: options.deadTimeMs ?? 0,
      onPower: (power) => this.onPower(power),
      onFailure: (reason) => this.logger.error(toArmatureError(reason).message),
    });
  }

  /** The power that is sent has changed. */
  protected abstract onPower(power: number): void;
  abstract goFor(rpm: number, revolutions: number, options?: CallOptions): Promise<void>;
  abstract goTo(rpm: number, positionRevolutions: number, options?: CallOptions): Promise<void>;
  abstract setRpm(rpm: number, options?: CallOptions): Promise<void>;
  abstract resetZeroPosition(offset: number, options?: CallOptions): Promise<void>;
  abstract position(options?: CallOptions): Promise<number>;
  abstract properties(): Promise<MotorProperties>;
  abstract status(): Promise<JsonObject>;

  setPower(power: number, options: CallOptions = {}): Promise<void> {
    return this.guard.run('SetPower', options.signal, () => this.output.command(power));
  }

  stop({ isCommanded = false }: StopOptions = {}): Promise<void> {
    // Stops that are carried out together end as the safest of them.
    if (!isCommanded) this.#mustEndOff = true;
    // The caller's signal is not passed on: a stop is carried out even if its caller is gone.
    return this.guard.stop(() => {
      const endsOff = this.#mustEndOff;
      this.#mustEndOff = false;
      return endsOff ? this.output.off() : this.output.stop();
    });
  }

  /** The part of a status that shows a braking motor. */
  protected get braking(): JsonObject {
    return this.output.isBraking ? { is_braking: true } : {};
  }

  isMoving(): Promise<boolean> {
    return Promise.resolve(this.output.power !== 0 || this.output.isRamping);
  }

  poweredState(): Promise<MotorPower> {
    const { power } = this.output;
    return Promise.resolve({ isOn: power !== 0, power });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Completes construction: outputs are off afterwards. */
  async start(): Promise<void> {
    await this.#drive.off();
  }

  /** Stops, and rejects later commands: a late caller must not start a motor that nobody is responsible for. */
  async #close(): Promise<void> {
    const stopped = this.stop();
    this.guard.close();
    try {
      await stopped;
    } catch (thrown) {
      // Closing never fails, even if the hardware is gone: the failure is only logged.
      this.logger.error(`motor "${this.name}" was closed but not switched off: ${toArmatureError(thrown).message}`);
    }
    this.#drive.close();
  }

  /** The error of a motion that ended because its power was lost. */
  protected lostPower({ reason }: PowerLoss): ArmatureError {
    return new ArmatureError('hardware.failed', `Motor "${this.name}" was stopped: ${reason.message}`, {
      cause: reason,
      details: { motor: this.name, reason: reason.code },
    });
  }

  protected setPwmFrequency(freqHz: number): Promise<void> {
    return this.#drive.setPwmFrequency(freqHz);
  }

  /** Throws if a speed is too close to zero to have a direction. */
  protected requireSpeed(rpm: number): void {
    if (Math.abs(rpm) >= NEARLY_ZERO_RPM) return;
    throw new ArmatureError(
      'call.bad_argument',
      `Motor "${this.name}": speed ${rpm} rpm is nearly zero; give at least ${NEARLY_ZERO_RPM} rpm, or call Stop.`,
      { details: { argument: 'rpm', found: rpm, minimum: NEARLY_ZERO_RPM } },
    );
  }

  /** Throws for zero revolutions. */
  protected requireDistance(revolutions: number): void {
    if (revolutions !== 0) return;
    throw new ArmatureError(
      'call.bad_argument',
      `Motor "${this.name}": 0 revolutions is no distance to turn; to turn until changed, call SetRPM.`,
      { details: { argument: 'revolutions', found: revolutions } },
    );
  }
}
