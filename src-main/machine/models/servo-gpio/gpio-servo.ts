import { angleAt, clampAngle, dutyAt, type PulseRange } from './servo-pulse.ts';
import { PinTimeouts, type OutputPin } from '../motor/drive/pin-timeouts.ts';
import { readWithTimeout } from '../read-with-timeout.ts';
import { SingleOperation } from '../single-operation.ts';
import type { GpioPin } from '../../../apis/board/types.ts';
import type { JsonObject } from '../../../apis/resource.ts';
import type { Servo } from '../../../apis/servo.ts';
import type { Clock } from '../../../base/clock.ts';
import { ArmatureError, toArmatureError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import { DEFAULT_SERVO_HZ, highestServoHz, LOWEST_SERVO_HZ } from './schema.ts';

/** Time limit for the board to report the state of its pin. */
const READ_TIMEOUT_MS = 500;
/** Relative difference by which a board's frequency or duty may deviate and still count as the one that was set. */
const SAME_WITHIN = 0.01;

export interface GpioServoSettings {
  readonly range: PulseRange;
  /** Undefined: the frequency that the pin is set to, or else the default. */
  readonly freqHz: number | undefined;
  /** Degrees per second; undefined if unknown. */
  readonly speedDegPerSec: number | undefined;
}

export interface GpioServoOptions extends GpioServoSettings {
  readonly name: string;
  readonly pin: GpioPin;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * A servo on a PWM pin. Only Move drives it: nothing is tested at the start, and reading the position has no side
 * effects. Stop ends the pulses, so that the servo no longer holds its angle; so do the end of a session and close.
 */
export class GpioServo implements Servo {
  readonly name: string;
  readonly #pin: GpioPin;
  readonly #output: OutputPin;
  readonly #timeouts: PinTimeouts;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #guard: SingleOperation;
  readonly #unsubscribe: readonly ((() => void) | undefined)[];
  #settings: GpioServoSettings;
  /** Last requested angle, kept after a Stop. */
  #angleDeg: number | undefined;
  /** Last duty that was set; 0 means no pulses. */
  #duty = 0;
  #isDriving = false;
  #arrivesMs = 0;
  /** False if it was stopped while moving: then its angle is unknown. */
  #hasArrived = false;
  #closing: Promise<void> | undefined;

  constructor(options: GpioServoOptions) {
    this.name = options.name;
    this.#pin = options.pin;
    this.#clock = options.clock;
    this.#logger = options.logger;
    this.#settings = options;
    this.#guard = new SingleOperation(`servo "${options.name}"`, () => this.#off());
    this.#timeouts = new PinTimeouts({
      clock: options.clock,
      isDriving: () => this.#isDriving,
      onLateDrive: () => {
        this.stop().catch((thrown: unknown) => this.#logger.error(toArmatureError(thrown).message));
      },
    });
    this.#output = this.#timeouts.pin('pin', options.pin);
    this.#unsubscribe = [options.pin.onLost?.(() => this.#ended()), options.pin.own?.(`servo "${options.name}"`)];
  }

  /** Ends any pulses on the pin, then moves to the configured starting position, if there is one. */
  async start(startingPositionDeg: number | undefined): Promise<void> {
    await this.stop();
    if (startingPositionDeg !== undefined) await this.move(startingPositionDeg);
  }

  move(angleDeg: number): Promise<void> {
    return this.#guard.run('Move', undefined, () => this.#move(angleDeg));
  }

  stop(): Promise<void> {
    return this.#guard.stop(() => this.#off());
  }

  async position(): Promise<number> {
    const { duty, freqHz } = await this.#read();
    if (duty > 0 && freqHz > 0 && !isSame(duty, this.#duty)) {
      // Something else drives the pin: its pulses determine the angle.
      return angleAt(this.#settings.range, duty, freqHz);
    }
    if (this.#angleDeg !== undefined) return this.#angleDeg;
    throw new ArmatureError(
      'call.failed_precondition',
      `Servo "${this.name}" was sent nowhere since it was started, so where it stands is not known. Call Move first, or set "starting_position_deg".`,
    );
  }

  /** True for the time that a move takes at the configured speed. If the speed is unknown, always false. */
  isMoving(): Promise<boolean> {
    return Promise.resolve(this.#duty > 0 && this.#clock.monotonic() < this.#arrivesMs);
  }

  async status(): Promise<JsonObject> {
    return {
      position_deg: this.#angleDeg ?? null,
      is_holding: this.#duty > 0,
      is_moving: await this.isMoving(),
    };
  }

  /** Applies new settings without stopping; a servo that holds an angle moves to it with the new settings. */
  apply(settings: GpioServoSettings): Promise<void> {
    return this.#guard.run('the change of its settings', undefined, async () => {
      this.#settings = settings;
      if (this.#duty > 0 && this.#angleDeg !== undefined) await this.#drive(clampAngle(settings.range, this.#angleDeg));
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const stopped = this.stop();
    this.#guard.close();
    try {
      await stopped;
    } catch (thrown) {
      // Closing never fails, even if the hardware is gone: the failure is only logged.
      this.#logger.error(toArmatureError(thrown).message);
    }
    for (const end of this.#unsubscribe) end?.();
  }

  async #move(asked: number): Promise<void> {
    const { range } = this.#settings;
    const angleDeg = clampAngle(range, asked);
    if (angleDeg !== asked) {
      this.#logger.warn(
        `servo "${this.name}": ${asked}° is outside of ${range.minAngleDeg}° to ${range.maxAngleDeg}°; it goes to ${angleDeg}°`,
      );
    }
    await this.#drive(angleDeg);
  }

  async #drive(angleDeg: number): Promise<void> {
    if (this.#timeouts.pendingWrites > 0) {
      throw this.#failure('be moved', new Error('its board has not answered an earlier write yet'));
    }
    const { range, speedDegPerSec } = this.#settings;
    const leftMs = this.#duty > 0 ? Math.max(0, this.#arrivesMs - this.#clock.monotonic()) : 0;
    try {
      const freqHz = await this.#tune();
      const duty = dutyAt(range, angleDeg, freqHz);
      this.#isDriving = true;
      // Set before the write is answered: a failed write may have been carried out, and then counts as driven.
      this.#duty = duty;
      await this.#output.setPwm(duty);
    } catch (thrown) {
      await this.#off().catch(() => {
        // The first failure is the one to report; pulses that could not be ended still count as driven.
      });
      throw this.#failure('be moved', thrown);
    }
    const from = this.#hasArrived ? this.#angleDeg : undefined;
    const way = from === undefined ? range.maxAngleDeg - range.minAngleDeg : Math.abs(angleDeg - from);
    this.#angleDeg = angleDeg;
    this.#hasArrived = true;
    // If it is still moving, going back takes at most the time that was left.
    const travelMs = speedDegPerSec === undefined ? 0 : leftMs + (way / speedDegPerSec) * 1_000;
    this.#arrivesMs = this.#clock.monotonic() + travelMs;
  }

  /**
   * Sets the frequency if it differs from the wanted one, after ending the pulses: at a lower frequency the same duty
   * would exceed the longest pulse. Returns the board's actual frequency, which may differ.
   */
  async #tune(): Promise<number> {
    const { range, freqHz } = this.#settings;
    const highestHz = highestServoHz(range.maxWidthUs);
    const present = (await this.#read()).freqHz;
    const isUsable = present >= LOWEST_SERVO_HZ && present <= highestHz;
    const wanted = Math.min(freqHz ?? (isUsable ? present : DEFAULT_SERVO_HZ), highestHz);
    if (isSame(present, wanted)) return present;
    await this.#off();
    await this.#output.setPwmFrequency(wanted);
    const got = (await this.#read()).freqHz;
    if (got > highestHz * (1 + SAME_WITHIN)) {
      throw new ArmatureError(
        'hardware.failed',
        `its pin runs at ${got} Hz where ${wanted} Hz were asked for, too fast for pulses of ${range.maxWidthUs} µs`,
      );
    }
    return got > 0 ? got : wanted;
  }

  async #read(): Promise<{ duty: number; freqHz: number }> {
    const inTime = (read: () => Promise<number>): Promise<number> =>
      readWithTimeout(read, READ_TIMEOUT_MS, this.#clock, undefined);
    try {
      const [duty, freqHz] = await Promise.all([inTime(() => this.#pin.pwm()), inTime(() => this.#pin.pwmFrequency())]);
      return { duty, freqHz };
    } catch (thrown) {
      throw this.#failure('read its pin', thrown);
    }
  }

  async #off(): Promise<void> {
    this.#isDriving = false;
    try {
      await this.#output.setPwm(0);
    } catch (thrown) {
      try {
        await this.#output.set(false);
      } catch {
        throw this.#failure('end its pulses and may still hold or move', thrown);
      }
    }
    this.#ended();
  }

  /** The pulses have ended. */
  #ended(): void {
    this.#duty = 0;
    if (this.#clock.monotonic() < this.#arrivesMs) this.#hasArrived = false;
    this.#arrivesMs = 0;
  }

  #failure(action: string, thrown: unknown): ArmatureError {
    const cause = toArmatureError(thrown);
    if (cause.message.startsWith(`Servo "${this.name}" could not`)) return cause;
    return new ArmatureError(
      'hardware.failed',
      `Servo "${this.name}" could not ${action}: ${cause.message}. Check its board and pin.`,
      { cause: thrown },
    );
  }
}

function isSame(one: number, other: number): boolean {
  return Math.abs(one - other) <= SAME_WITHIN * Math.max(Math.abs(one), Math.abs(other));
}
