import type { Drive } from './drive.ts';
import { limitPower, STOP_BELOW_POWER, type PowerLimits } from './limits.ts';
import type { Clock, Timer } from '../../../../base/clock.ts';
import type { ArmatureError } from '../../../../base/errors.ts';

/** Time between two steps of a power ramp. */
const SLEW_STEP_MS = 10;

export interface MotorOutputOptions {
  readonly drive: Drive;
  readonly clock: Clock;
  readonly limits: PowerLimits;
  /** Maximum change of power per second; 0 means at once. */
  readonly slewPerSec: number;
  /** How long all outputs are at zero before power in the other direction. */
  readonly deadTimeMs: number;
  /** Called with the signed power whenever the power that is sent changes. */
  readonly onPower: (power: number) => void;
  /** A step of a ramp, or an internal stop, failed; all outputs that could be reached are off. */
  readonly onFailure: (reason: unknown) => void;
}

/** Describes power that ended without a command. */
export interface PowerLoss {
  readonly reason: ArmatureError;
}

/** Converts requested power into power within the limits, ramped if configured, and stores what was sent. */
export class MotorOutput {
  readonly #drive: Drive;
  readonly #clock: Clock;
  readonly #deadTimeMs: number;
  readonly #onPower: (power: number) => void;
  readonly #onFailure: (reason: unknown) => void;
  #limits: PowerLimits;
  #slewPerSec: number;
  #requested = 0;
  #stopBelow = STOP_BELOW_POWER;
  #power = 0;
  /** The last power sent to the drive; undefined if it may not have arrived. */
  #reported: number | undefined = 0;
  #ramp: { timer: Timer; value: number; lastMs: number; isWriting: boolean } | undefined;
  #loss: PowerLoss | undefined;
  #isBraking = false;
  /** Sign of the last nonzero power. */
  #direction = 0;
  /** Since when all outputs are at zero; undefined if they are not, or may not be. */
  #offSinceMs: number | undefined;
  /** Counts requests; a ramp step that finds a different number after a write has been superseded. */
  #turn = 0;

  constructor(options: MotorOutputOptions) {
    this.#drive = options.drive;
    this.#clock = options.clock;
    this.#limits = options.limits;
    this.#slewPerSec = options.slewPerSec;
    this.#deadTimeMs = options.deadTimeMs;
    this.#onPower = options.onPower;
    this.#onFailure = options.onFailure;
    this.#drive.onLatePower(() => {
      this.off().catch((reason: unknown) => this.#onFailure(reason));
    });
    this.#drive.onLost((reason) => this.#lost(reason));
  }

  /** The last time that power ended without a command; a new object each time. */
  get loss(): PowerLoss | undefined {
    return this.#loss;
  }

  /** The signed power that is being sent. */
  get power(): number {
    return this.#power;
  }

  /** The signed power at the end of the current ramp; without a ramp, {@link power}. */
  get target(): number {
    return limitPower(this.#requested, this.#limits, this.#stopBelow);
  }

  /** Whether a brake holds the motor; {@link off} ends it. */
  get isBraking(): boolean {
    return this.#isBraking;
  }

  /** Whether the power is being ramped to {@link target}, or waits for the dead time of a reversal. */
  get isRamping(): boolean {
    return this.#ramp !== undefined;
  }

  get limits(): PowerLimits {
    return this.#limits;
  }

  /**
   * Sends power within the limits.
   * @param stopBelow requests up to this power switch off
   */
  request(power: number, stopBelow = STOP_BELOW_POWER): Promise<void> {
    const target = limitPower(power, this.#limits, stopBelow);
    if (target === 0) return this.off();
    this.#requested = power;
    this.#stopBelow = stopBelow;
    const turn = ++this.#turn;
    if (this.#slewPerSec === 0 && !this.#mustRest(target)) {
      this.#endRamp();
      return this.#send(target, turn);
    }
    if (this.#ramp !== undefined) return Promise.resolve();
    this.#ramp = {
      timer: this.#clock.every(SLEW_STEP_MS, () => {
        this.#rampStep().catch((reason: unknown) => this.#onFailure(reason));
      }),
      value: this.#power,
      lastMs: this.#clock.monotonic() - SLEW_STEP_MS,
      isWriting: false,
    };
    return this.#rampStep();
  }

  /** Carries out a caller's command: no power means {@link stop}. */
  async command(power: number): Promise<void> {
    await (limitPower(power, this.#limits) === 0 ? this.stop() : this.request(power));
  }

  /**
   * Ends power at once, as configured. A motor without power is switched off, because nobody would be responsible for
   * its brake.
   */
  async stop(): Promise<void> {
    await (this.#power === 0 && !this.isRamping && !this.#isBraking ? this.off() : this.brake());
  }

  /** Ends power at once at the end of a motion, as configured; if the brake fails, switches off. */
  async brake(): Promise<void> {
    if (this.#drive.brake === undefined) return this.off();
    this.#end();
    this.#offSinceMs = undefined;
    try {
      this.#isBraking = await this.#drive.brake();
    } catch (thrown) {
      await this.off();
      throw thrown;
    }
    if (!this.#isBraking) this.#offSinceMs = this.#clock.monotonic();
    this.#record(0);
  }

  /** Switches off at once, never ramped. */
  async off(): Promise<void> {
    this.#end();
    await this.#switchOff();
    this.#record(0);
  }

  /** New limits apply at once to the running power; the motor does not stop. */
  async setLimits(limits: PowerLimits, slewPerSec: number): Promise<void> {
    this.#limits = limits;
    this.#slewPerSec = slewPerSec;
    if (this.#requested === 0) return;
    // Changes of limits are not ramped: power is within the new ones at once, and a running ramp continues from there.
    const held = limitPower(this.#power, limits, this.#stopBelow);
    if (this.#ramp !== undefined && held !== 0) this.#ramp.value = held;
    if (held !== 0) await this.#send(held, this.#turn);
    if (this.#requested !== 0) await this.request(this.#requested, this.#stopBelow);
  }

  async #rampStep(): Promise<void> {
    const ramp = this.#ramp;
    // If a write is slow, further steps are skipped: the next one makes up for the time.
    if (ramp === undefined || ramp.isWriting) return;
    const now = this.#clock.monotonic();
    const change = this.#slewPerSec === 0 ? Infinity : (this.#slewPerSec * (now - ramp.lastMs)) / 1_000;
    ramp.lastMs = now;
    const { target } = this;
    const isThere = Math.abs(target - ramp.value) <= change;
    ramp.value = isThere ? target : ramp.value + Math.sign(target - ramp.value) * change;
    const power = limitPower(ramp.value, this.#limits, this.#stopBelow);
    if (this.#mustRest(power)) {
      // It continues from zero when the time is over.
      ramp.value = 0;
      await this.#rest(ramp);
      return;
    }
    if (power !== 0) {
      ramp.isWriting = true;
      try {
        await this.#send(power, this.#turn);
      } finally {
        ramp.isWriting = false;
      }
    }
    // Only once the power has arrived: otherwise whoever waits for it would assume that the motor lost it.
    if (isThere && this.#ramp === ramp && this.target === target) this.#endRamp();
  }

  /** Whether outputs must stay at zero for some more time before this power. */
  #mustRest(power: number): boolean {
    if (this.#deadTimeMs === 0 || power === 0 || Math.sign(power) !== -this.#direction) return false;
    return this.#offSinceMs === undefined || this.#clock.monotonic() - this.#offSinceMs < this.#deadTimeMs;
  }

  async #rest(ramp: { isWriting: boolean }): Promise<void> {
    if (this.#offSinceMs !== undefined) return;
    const turn = this.#turn;
    this.#reported = undefined;
    ramp.isWriting = true;
    try {
      await this.#switchOff();
    } catch (thrown) {
      this.#requested = 0;
      this.#endRamp();
      throw thrown;
    } finally {
      ramp.isWriting = false;
    }
    if (turn === this.#turn) this.#record(0);
  }

  async #switchOff(): Promise<void> {
    await this.#drive.off();
    this.#isBraking = false;
    this.#offSinceMs ??= this.#clock.monotonic();
  }

  /** Starts a new command, for no power, which supersedes all earlier ones. */
  #end(): void {
    this.#turn++;
    this.#requested = 0;
    this.#endRamp();
    this.#reported = undefined;
  }

  async #send(power: number, turn: number): Promise<void> {
    if (power === this.#reported && power === this.#power) return;
    this.#reported = power;
    this.#direction = Math.sign(power);
    this.#offSinceMs = undefined;
    try {
      await this.#drive.apply(power);
      this.#isBraking = false;
    } catch (thrown) {
      this.#reported = undefined;
      this.#endRamp();
      this.#requested = 0;
      // An output that could not be switched off counts as on.
      await this.#switchOff().then(
        () => this.#record(0),
        () => this.#record(power),
      );
      throw thrown;
    }
    if (turn === this.#turn) this.#record(power);
  }

  /** Nothing drives the motor now, and nothing will before the next command. */
  #lost(reason: ArmatureError): void {
    if (this.#requested === 0 && this.#power === 0 && !this.#isBraking) return;
    this.#loss = { reason };
    this.#end();
    this.#record(0);
    this.#switchOff().catch((failure: unknown) => this.#onFailure(failure));
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
