import { messageOf } from '../../../../shared/machine/rpc/follow-stream.ts';

/** What a held button does. Power is -1 to 1. */
export interface HeldMotor {
  setPower(power: number): Promise<void>;
  stop(): Promise<void>;
}

export interface HoldEvents {
  /** The power that was asked for, 0 when released. */
  readonly onPower: (power: number) => void;
  /** The start was refused. */
  readonly onError: (message: string) => void;
  /** No stop was confirmed: the motor may still turn. */
  readonly onStopFailed: (message: string) => void;
}

/** Stops that are tried before giving up: the session's expiry is what remains. */
const stopTries = 3;

/**
 * Runs a motor while something is held, and stops it however the hold ends.
 * The stop never waits for the start: it goes out at once. A start that is
 * answered only after the release is followed by one more stop, so that no
 * order of arrival leaves the motor turning.
 */
export class HoldToRun {
  readonly #motor: HeldMotor;
  readonly #events: HoldEvents;
  #holder: string | undefined;
  #power = 0;
  /** Counts what was asked for, so that the same power after a stop is sent again. */
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
   * Starts, unless something else is held already. `holder` says what holds
   * it (a pointer, a key): only that one, or {@link releaseAll}, lets go.
   */
  press(holder: string, power: number): void {
    if (this.#holder !== undefined || power === 0) return;
    this.#holder = holder;
    this.#setPower(power);
  }

  /** Changes the power while held. Values that come faster than answers are skipped, the last one is sent. */
  change(power: number): void {
    if (this.#holder !== undefined) this.#setPower(power);
  }

  release(holder: string): void {
    if (this.#holder === holder) this.#letGo();
  }

  /** Whatever holds it: the window lost the focus, the link broke, control was switched off. */
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
    for (let tried = 1; ; tried += 1) {
      try {
        await this.#motor.stop();
        return;
      } catch (thrown) {
        if (tried < stopTries) continue;
        this.#events.onStopFailed(messageOf(thrown));
        return;
      }
    }
  }
}
