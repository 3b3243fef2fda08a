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

/** Time the board has to say what its pin does. */
const READ_TIMEOUT_MS = 500;
/** Part by which a board's frequency or duty may differ from what it was told and still be that. */
const SAME_WITHIN = 0.01;

export interface GpioServoSettings {
  readonly range: PulseRange;
  /** Undefined: what the pin is set to, else the default. */
  readonly freqHz: number | undefined;
  /** Degrees a second; undefined where it is not known. */
  readonly speedDegPerSec: number | undefined;
}

export interface GpioServoOptions extends GpioServoSettings {
  readonly name: string;
  readonly pin: GpioPin;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * A servo on a PWM pin. Only Move drives it: nothing is probed at the start and reading the
 * position reads. Stop ends the pulses, so that the servo holds nothing any more; so do a session
 * that ends, and close.
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
  /** Last angle it was sent to, kept over a Stop. */
  #angleDeg: number | undefined;
  /** What the pin was last told; 0 is no pulses. */
  #duty = 0;
  #isDriving = false;
  #arrivesMs = 0;
  /** False where it was stopped on its way: then it stands anywhere. */
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

  /** Ends what pulses the pin may have, then goes to where the configuration wants it, if it does. */
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
      // Somebody drives the pin past this servo: what the pulses say is where it goes.
      return angleAt(this.#settings.range, duty, freqHz);
    }
    if (this.#angleDeg !== undefined) return this.#angleDeg;
    throw new ArmatureError(
      'call.failed_precondition',
      `Servo "${this.name}" was sent nowhere since it was started, so where it stands is not known. Call Move first, or set "starting_position_deg".`,
    );
  }

  /** True for the time a move takes at the configured speed. Without one it is not known, and false. */
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

  /** Takes new settings over without a stop; a servo that holds goes to its angle by the new settings. */
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
      // Closing settles even if the hardware is gone, so the failure is only logged.
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
      // Before the answer: a write that fails may have been carried out, and then counts as driven.
      this.#duty = duty;
      await this.#output.setPwm(duty);
    } catch (thrown) {
      await this.#off().catch(() => {
        // The first failure is the one to report; what could not be ended still counts as driven.
      });
      throw this.#failure('be moved', thrown);
    }
    const from = this.#hasArrived ? this.#angleDeg : undefined;
    const way = from === undefined ? range.maxAngleDeg - range.minAngleDeg : Math.abs(angleDeg - from);
    this.#angleDeg = angleDeg;
    this.#hasArrived = true;
    // On its way somewhere else it has at most what was left of that to go back.
    const travelMs = speedDegPerSec === undefined ? 0 : leftMs + (way / speedDegPerSec) * 1_000;
    this.#arrivesMs = this.#clock.monotonic() + travelMs;
  }

  /**
   * Sets the frequency where it is not what it should be, with the pulses ended before: the same duty at a lower
   * frequency would be pulses longer than the longest. Returns the board's own, which may be another.
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

  /** There are no pulses any more. */
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
