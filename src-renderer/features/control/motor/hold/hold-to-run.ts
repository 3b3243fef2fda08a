import { messageOf } from '../../../../shared/machine/rpc/follow-stream.ts';

/** The calls that a held control makes. Power is -1 to 1. */
export interface HeldMotor {
  setPower(power: number): Promise<void>;
  stop(): Promise<void>;
}

export interface HoldEvents {
  /** The commanded power; 0 when released. */
  readonly onPower: (power: number) => void;
  /** The start was refused. */
  readonly onError: (message: string) => void;
  /** Every attempt to stop failed: the motor may still turn. */
  readonly onStopFailed: (message: string) => void;
}

/** Attempts to stop before giving up. After that, the machine stops the motor when the session expires. */
const MAX_STOP_ATTEMPTS = 3;

/**
 * Runs a motor while something is held, and stops it however the hold ends. The stop is sent at once, without waiting
 * for the start. A start that is answered only after the release is followed by another stop, so that the motor does
 * not keep turning, in whatever order the commands arrive.
 */
export class HoldToRun {
  readonly #motor: HeldMotor;
  readonly #events: HoldEvents;
  #holder: string | undefined;
  #power = 0;
  /** Counts the commanded powers, so that the same power after a stop is sent again. */
  #request = 0;
  #isSending = false;

  constructor(motor: HeldMotor, events: HoldEvents) {
    this.#motor = motor;
    this.#events = events;
  }

  get isHeld(): boolean {
    return this.#holder !== undefined;
  }

  /**
   * Starts the motor, unless it is held already.
   * @param holder the pointer or key that holds it; only its release, or {@link releaseAll}, ends the hold
   */
  press(holder: string, power: number): void {
    if (this.#holder !== undefined || power === 0) return;
    this.#holder = holder;
    this.#setPower(power);
  }

  /** Changes the power while held. While a power is being sent, only the latest new one is kept and sent next. */
  change(power: number): void {
    if (this.#holder !== undefined) this.#setPower(power);
  }

  release(holder: string): void {
    if (this.#holder === holder) this.#letGo();
  }

  /** Ends any hold: the window lost the focus, the connection broke, or control was switched off. */
  releaseAll(): void {
    if (this.#holder !== undefined) this.#letGo();
  }

  #setPower(power: number): void {
    this.#power = power;
    this.#request += 1;
    this.#events.onPower(power);
    if (!this.#isSending) void this.#send();
  }

  async #send(): Promise<void> {
    this.#isSending = true;
    try {
      let sent: number | undefined;
      while (this.#holder !== undefined && sent !== this.#request) {
        sent = this.#request;
        await this.#motor.setPower(this.#power);
      }
    } catch (thrown) {
      this.#events.onError(messageOf(thrown));
      this.#holder = undefined;
      this.#power = 0;
      this.#events.onPower(0);
    } finally {
      this.#isSending = false;
    }
    if (this.#holder === undefined) await this.#stop();
  }

  #letGo(): void {
    this.#holder = undefined;
    this.#power = 0;
    this.#events.onPower(0);
    void this.#stop();
  }

  async #stop(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#motor.stop();
        return;
      } catch (thrown) {
        if (attempt < MAX_STOP_ATTEMPTS) continue;
        this.#events.onStopFailed(messageOf(thrown));
        return;
      }
    }
  }
}
