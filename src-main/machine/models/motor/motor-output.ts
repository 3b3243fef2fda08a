import type { Drive } from './drive.ts';
import { limitPower, STOP_BELOW_POWER, type PowerLimits } from './limits.ts';
import type { Clock, Timer } from '../../../base/clock.ts';
import type { ArmatureError } from '../../../base/errors.ts';

/** Time between two steps of a power ramp. */
const SLEW_STEP_MS = 10;

export interface MotorOutputOptions {
  readonly drive: Drive;
  readonly clock: Clock;
  readonly limits: PowerLimits;
  /** Most that the power may change in a second (B7.7); 0 for at once. */
  readonly slewPerSec: number;
  /** Called with the signed power that is sent, whenever it changes. */
  readonly onPower: (power: number) => void;
  /** A step of a ramp, or a stop that nobody asked for, failed; the outputs are off as far as they could be reached. */
  readonly onFailure: (reason: unknown) => void;
}

/** Power that ended without a command. */
export interface PowerLoss {
  readonly reason: ArmatureError;
}

/** Turns requested power into power within limits, ramped where configured, and keeps what was sent. */
export class MotorOutput {
  readonly #drive: Drive;
  readonly #clock: Clock;
  readonly #onPower: (power: number) => void;
  readonly #onFailure: (reason: unknown) => void;
  #limits: PowerLimits;
  #slewPerSec: number;
  #requested = 0;
  #stopBelow = STOP_BELOW_POWER;
  #power = 0;
  /** What the drive was last told; undefined where it may not have got there. */
  #told: number | undefined = 0;
  #ramp: { timer: Timer; value: number; lastMs: number; isWriting: boolean } | undefined;
  #loss: PowerLoss | undefined;
  /** Counts requests; a ramp step that finds another number after a write has been overtaken. */
  #turn = 0;

  constructor(options: MotorOutputOptions) {
    this.#drive = options.drive;
    this.#clock = options.clock;
    this.#limits = options.limits;
    this.#slewPerSec = options.slewPerSec;
    this.#onPower = options.onPower;
    this.#onFailure = options.onFailure;
    this.#drive.onLatePower(() => {
      this.off().catch((reason: unknown) => this.#onFailure(reason));
    });
    this.#drive.onLost((reason) => this.#lost(reason));
  }

  /** The last time that power ended without a command; another object each time. */
  get loss(): PowerLoss | undefined {
    return this.#loss;
  }

  /** Signed power as it is sent now. */
  get power(): number {
    return this.#power;
  }

  /** Signed power that a ramp under way leads to; else {@link power}. */
  get target(): number {
    return limitPower(this.#requested, this.#limits, this.#stopBelow);
  }

  get isRamping(): boolean {
    return this.#ramp !== undefined;
  }

  get limits(): PowerLimits {
    return this.#limits;
  }

  /**
   * Sends power within the limits.
   * @param stopBelow requests of at most this much power switch off
   */
  async request(power: number, stopBelow = STOP_BELOW_POWER): Promise<void> {
    const target = limitPower(power, this.#limits, stopBelow);
    if (target === 0) {
      await this.off();
      return;
    }
    this.#requested = power;
    this.#stopBelow = stopBelow;
    const turn = ++this.#turn;
    if (this.#slewPerSec === 0) {
      this.#endRamp();
      await this.#send(target, turn);
      return;
    }
    if (this.#ramp !== undefined) return;
    this.#ramp = {
      timer: this.#clock.every(SLEW_STEP_MS, () => {
        this.#rampStep().catch((reason: unknown) => this.#onFailure(reason));
      }),
      value: this.#power,
      lastMs: this.#clock.monotonic() - SLEW_STEP_MS,
      isWriting: false,
    };
    await this.#rampStep();
  }

  /** Switches off at once, never ramped. */
  async off(): Promise<void> {
    this.#turn++;
    this.#requested = 0;
    this.#endRamp();
    this.#told = undefined;
    await this.#drive.off();
    this.#record(0);
  }

  /** New limits hold for the running power at once; the motor does not stop (B2.9). */
  async setLimits(limits: PowerLimits, slewPerSec: number): Promise<void> {
    this.#limits = limits;
    this.#slewPerSec = slewPerSec;
    if (this.#requested === 0) return;
    // Limits are not ramped to: what is sent is within them at once, and a ramp under way goes on from there.
    const held = limitPower(this.#power, limits, this.#stopBelow);
    if (this.#ramp !== undefined && held !== 0) this.#ramp.value = held;
    if (held !== 0) await this.#send(held, this.#turn);
    if (this.#requested !== 0) await this.request(this.#requested, this.#stopBelow);
  }

  async #rampStep(): Promise<void> {
    const ramp = this.#ramp;
    // Behind a slow write no others pile up: the next step makes up for the time.
    if (ramp === undefined || ramp.isWriting) return;
    const now = this.#clock.monotonic();
    const change = (this.#slewPerSec * (now - ramp.lastMs)) / 1_000;
    ramp.lastMs = now;
    const { target } = this;
    const isThere = Math.abs(target - ramp.value) <= change;
    ramp.value = isThere ? target : ramp.value + Math.sign(target - ramp.value) * change;
    if (isThere) this.#endRamp();
    const power = limitPower(ramp.value, this.#limits, this.#stopBelow);
    if (power === 0) return;
    ramp.isWriting = true;
    try {
      await this.#send(power, this.#turn);
    } finally {
      ramp.isWriting = false;
    }
  }

  async #send(power: number, turn: number): Promise<void> {
    if (power === this.#told && power === this.#power) return;
    this.#told = power;
    try {
      await this.#drive.apply(power);
    } catch (thrown) {
      this.#told = undefined;
      this.#endRamp();
      this.#requested = 0;
      // What could not be switched off counts as on.
      await this.#drive.off().then(
        () => this.#record(0),
        () => this.#record(power),
      );
      throw thrown;
    }
    if (turn === this.#turn) this.#record(power);
  }

  /** Nothing drives the motor now, and nothing will before the next command. */
  #lost(reason: ArmatureError): void {
    if (this.#requested === 0 && this.#power === 0) return;
    this.#loss = { reason };
    this.#turn++;
    this.#requested = 0;
    this.#endRamp();
    this.#told = undefined;
    this.#record(0);
    this.#drive.off().catch((failure: unknown) => this.#onFailure(failure));
  }

  #record(power: number): void {
    if (power === this.#power) return;
    this.#power = power;
    this.#onPower(power);
  }

  #endRamp(): void {
    this.#ramp?.timer.cancel();
    this.#ramp = undefined;
  }
}
