import type { Drive } from './drive.ts';
import { PinTimeouts, type OutputPin } from './pin-timeouts.ts';
import type { GpioPin } from '../../../../apis/board/types.ts';
import type { Clock } from '../../../../base/clock.ts';
import { ArmatureError, toArmatureError } from '../../../../base/errors.ts';
import { Mutex } from '../../../../base/async/mutex.ts';

/** Driver pins in one of the three styles of the specification. */
export type DriverPins<Pin = GpioPin> =
  | { readonly style: 'pwm-dir'; readonly pwm: Pin; readonly dir: Pin }
  | { readonly style: 'in1-in2'; readonly a: Pin; readonly b: Pin }
  | { readonly style: 'in1-in2-pwm'; readonly a: Pin; readonly b: Pin; readonly pwm: Pin };

export interface PinDriveOptions {
  /** The motor's name in errors. */
  readonly motor: string;
  readonly pins: DriverPins;
  /** Pin that must be high for the driver to work. */
  readonly enableHigh: GpioPin | undefined;
  /** Pin that must be low for the driver to work. */
  readonly enableLow: GpioPin | undefined;
  readonly isFlipped: boolean;
  readonly freqHz: number;
  /** Whether a commanded stop brakes; not possible with `pwm-dir`. */
  readonly hasBrake: boolean;
  readonly clock: Clock;
}

type Direction = 'forward' | 'backward';

/**
 * Puts a power on the pins of a motor driver. While the direction stays, only the duty is touched;
 * a reversal passes through zero; outputs are switched on before the driver is enabled and it is
 * disabled before they are switched off, so that no change shows as a pulse.
 *
 * The brake turns both sides of the bridge on: In1 and In2 high, the driver enabled and its PWM input at full duty. That is
 * "brake" in the truth tables of the DRV8871 (TI, SLVSCY9: IN1 = IN2 = 1, while 0 and 0 is coast), "short brake" in that
 * of the TB6612FNG (Toshiba: IN1 = IN2 = H) and "fast motor stop" in that of the L298N (ST: Ven = H, C = D, while Ven = L
 * is free running). Some drivers coast with both inputs high: theirs does not brake.
 *
 * Sequences never interleave: each waits for the one before. None waits for ever:
 * a pin that does not answer fails the command, and no power is taken before it has.
 */
export class PinDrive implements Drive {
  readonly #options: PinDriveOptions;
  readonly #timeouts: PinTimeouts;
  readonly #pins: DriverPins<OutputPin>;
  readonly #enableHigh: OutputPin | undefined;
  readonly #enableLow: OutputPin | undefined;
  #freqHz: number;
  /** The known state of the pins; `unknown` before the first `off` and after a failure. */
  #state: { direction: Direction; power: number } | 'off' | 'braking' | 'unknown' = 'unknown';
  #isSwitchingOff = false;
  #onLatePower: () => void = () => undefined;
  #onLost: (reason: ArmatureError) => void = () => undefined;
  readonly #unsubscribe: readonly (() => void)[];
  readonly #sequences = new Mutex();

  constructor(options: PinDriveOptions) {
    this.#options = options;
    this.#freqHz = options.freqHz;
    this.#timeouts = new PinTimeouts({
      clock: options.clock,
      isDriving: () => !this.#isSwitchingOff,
      onLateDrive: () => this.#onLatePower(),
    });
    const { enableHigh, enableLow } = options;
    this.#pins = pinsWithTimeout(options.pins, this.#timeouts);
    this.#enableHigh = enableHigh && this.#timeouts.pin('en_high', enableHigh);
    this.#enableLow = enableLow && this.#timeouts.pin('en_low', enableLow);
    const all = [...pinsOf(options.pins), enableHigh, enableLow];
    this.#unsubscribe = all.flatMap((pin) => [
      ...(pin?.onLost === undefined ? [] : [pin.onLost((reason) => this.#lost(reason))]),
      ...(pin?.own === undefined ? [] : [pin.own()]),
    ]);
  }

  apply(power: number): Promise<void> {
    return this.#sequences.run(async () => {
      if (this.#timeouts.pendingWrites > 0) {
        throw this.#failure('be given power', [new Error('its board has not answered an earlier write yet')]);
      }
      try {
        await this.#apply(power);
      } catch (thrown) {
        this.#state = 'unknown';
        throw this.#failure('be given power', [thrown]);
      }
    });
  }

  brake(): Promise<boolean> {
    return this.#sequences.run(async () => {
      if (!this.#options.hasBrake || this.#state === 'unknown' || this.#timeouts.pendingWrites > 0) {
        await this.#off();
        return false;
      }
      if (this.#state === 'braking') return true;
      try {
        await this.#brake();
      } catch (thrown) {
        this.#state = 'unknown';
        throw this.#failure('be braked', [thrown]);
      }
      return true;
    });
  }

  off(): Promise<void> {
    return this.#sequences.run(() => this.#off());
  }

  onLatePower(listener: () => void): void {
    this.#onLatePower = listener;
  }

  onLost(listener: (reason: ArmatureError) => void): void {
    this.#onLost = listener;
  }

  close(): void {
    for (const end of this.#unsubscribe) end();
  }

  setPwmFrequency(freqHz: number): Promise<void> {
    return this.#sequences.run(async () => {
      this.#freqHz = freqHz;
      if (typeof this.#state === 'string') return;
      const { direction, power } = this.#state;
      const pin = this.#pwmPin(direction);
      await pin.setPwmFrequency(freqHz);
      // Set again after the frequency, because some boards return to an older duty.
      await pin.setPwm(this.#duty(power));
    });
  }

  /** Without the lost pin, the state of the other pins is meaningless, so the next power starts from off. */
  #lost(reason: ArmatureError): void {
    this.#state = 'unknown';
    this.#onLost(reason);
  }

  async #apply(power: number): Promise<void> {
    const direction: Direction = power > 0 ? 'forward' : 'backward';
    if (typeof this.#state !== 'string' && this.#state.direction === direction) {
      await this.#pwmPin(direction).setPwm(this.#duty(Math.abs(power)));
      this.#state.power = Math.abs(power);
      return;
    }
    if (this.#state === 'unknown') await this.#off();
    // With only In1 and In2, power can follow the brake directly: one pin is already high, and the other goes low for
    // its share of time.
    else if (this.#state !== 'off' && (this.#state !== 'braking' || this.#pins.style !== 'in1-in2'))
      await this.#toZero();
    const wasOff = this.#state === 'off';
    this.#state = 'unknown';
    await this.#start(direction, Math.abs(power), wasOff);
    if (wasOff) await this.#enable();
    this.#state = { direction, power: Math.abs(power) };
  }

  /**
   * Applies power in a direction, from zero. A reversal keeps the frequency of a PWM pin that serves both directions.
   */
  async #start(direction: Direction, power: number, wasOff: boolean): Promise<void> {
    const pins = this.#pins;
    const isForwardWired = (direction === 'forward') !== this.#options.isFlipped;
    const pwm = this.#pwmPin(direction);
    if (wasOff || pins.style === 'in1-in2') await pwm.setPwmFrequency(this.#freqHz);
    switch (pins.style) {
      case 'pwm-dir':
        await pins.dir.set(isForwardWired);
        await pwm.setPwm(this.#duty(power));
        return;
      case 'in1-in2-pwm':
        await (isForwardWired ? pins.a : pins.b).set(true);
        await pwm.setPwm(this.#duty(power));
        return;
      case 'in1-in2': {
        // Both are written at the same time: one pin high while the other is still low would be full power.
        const duty = pwm.setPwm(this.#duty(power));
        const level = (isForwardWired ? pins.a : pins.b).set(true);
        await settleAll([duty, level]);
        return;
      }
    }
  }

  /** No pin goes low when braking from power: that would be power in the other direction. */
  async #brake(): Promise<void> {
    const pins = this.#pins;
    if (pins.style === 'pwm-dir') throw new Error('a driver with "pwm" and "dir" cannot brake');
    const wasOff = this.#state === 'off';
    this.#state = 'unknown';
    await settleAll([pins.a.set(true), pins.b.set(true)]);
    if (pins.style === 'in1-in2-pwm') {
      if (wasOff) await pins.pwm.setPwmFrequency(this.#freqHz);
      await pins.pwm.setPwm(1);
    }
    if (wasOff) await this.#enable();
    this.#state = 'braking';
  }

  /** Sets power to zero but leaves the driver enabled, for a change of direction. */
  async #toZero(): Promise<void> {
    const pins = this.#pins;
    if (pins.style === 'in1-in2') {
      await this.#lowerBoth(pins.a, pins.b);
      return;
    }
    await pins.pwm.setPwm(0);
    if (pins.style === 'in1-in2-pwm') await this.#lowerBoth(pins.a, pins.b);
  }

  /** The pin at a steady high goes first: in the other order there would be full power for a moment. */
  async #lowerBoth(a: OutputPin, b: OutputPin): Promise<void> {
    const isPwmOnA = typeof this.#state !== 'string' && this.#pwmPin(this.#state.direction) === a;
    const [first, second] = isPwmOnA ? [b, a] : [a, b];
    if (this.#pins.style !== 'in1-in2') {
      await settleAll([first.set(false), second.set(false)]);
      return;
    }
    // After a start or a failure it is unknown which pin carries PWM.
    await settleAll([this.#state === 'unknown' ? pwmOff(first) : first.set(false), pwmOff(second)]);
  }

  async #off(): Promise<void> {
    this.#isSwitchingOff = true;
    try {
      await this.#switchOff();
    } finally {
      this.#isSwitchingOff = false;
    }
  }

  async #switchOff(): Promise<void> {
    const pins = this.#pins;
    const failures: unknown[] = [];
    const attempt = async (step: Promise<unknown> | undefined): Promise<void> => {
      try {
        await step;
      } catch (thrown) {
        failures.push(thrown);
      }
    };
    await attempt(this.#enableHigh?.set(false));
    await attempt(this.#enableLow?.set(true));
    if (pins.style !== 'in1-in2') await attempt(pwmOff(pins.pwm));
    if (pins.style !== 'pwm-dir') await attempt(this.#lowerBoth(pins.a, pins.b));
    this.#state = failures.length === 0 ? 'off' : 'unknown';
    if (failures.length > 0) throw this.#failure('be switched off and may still be turning', failures);
  }

  async #enable(): Promise<void> {
    await this.#enableHigh?.set(true);
    await this.#enableLow?.set(false);
  }

  /** The pin whose duty sets the speed. With only In1 and In2, the one that is low in this direction. */
  #pwmPin(direction: Direction): OutputPin {
    const pins = this.#pins;
    if (pins.style !== 'in1-in2') return pins.pwm;
    return (direction === 'forward') !== this.#options.isFlipped ? pins.b : pins.a;
  }

  /** With only In1 and In2 the duty belongs to the low-side pin, so less duty is more power. */
  #duty(power: number): number {
    return this.#pins.style === 'in1-in2' ? 1 - power : power;
  }

  #failure(action: string, failures: readonly unknown[]): ArmatureError {
    const messages = failures.map((failure) => toArmatureError(failure).message);
    return new ArmatureError(
      'hardware.failed',
      `${this.#options.motor} could not ${action}: ${messages.join('; ')}. Check its board and pins.`,
      { cause: failures[0], details: { failures: messages } },
    );
  }
}

function pinsOf(pins: DriverPins): readonly GpioPin[] {
  if (pins.style === 'pwm-dir') return [pins.pwm, pins.dir];
  return pins.style === 'in1-in2' ? [pins.a, pins.b] : [pins.a, pins.b, pins.pwm];
}

function pinsWithTimeout(pins: DriverPins, timeouts: PinTimeouts): DriverPins<OutputPin> {
  switch (pins.style) {
    case 'pwm-dir':
      return { style: pins.style, pwm: timeouts.pin('pwm', pins.pwm), dir: timeouts.pin('dir', pins.dir) };
    case 'in1-in2':
      return { style: pins.style, a: timeouts.pin('a', pins.a), b: timeouts.pin('b', pins.b) };
    case 'in1-in2-pwm':
      return {
        style: pins.style,
        a: timeouts.pin('a', pins.a),
        b: timeouts.pin('b', pins.b),
        pwm: timeouts.pin('pwm', pins.pwm),
      };
  }
}

/**
 * Sets duty to 0 before the level, so that a board that keeps the last duty does not start again with it. Tries both.
 */
async function pwmOff(pin: OutputPin): Promise<void> {
  try {
    await pin.setPwm(0);
  } catch (thrown) {
    await pin.set(false).catch(() => {
      // The first failure is the one to report.
    });
    throw thrown;
  }
  await pin.set(false);
}

/** Waits for all, then throws the first failure, so that no rejection is unhandled. */
async function settleAll(steps: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(steps);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}
