import type { PinOutput } from './pin-output.ts';
import type { PinLocation } from './pin-names.ts';
import type { GpioPin } from '../../../apis/board/types.ts';
import { PinOwners } from '../../../apis/board/pin-owners.ts';
import { Emitter } from '../../../base/async/emitter.ts';
import { ArmatureError } from '../../../base/errors.ts';
import { hardwareError } from '../../../hardware/hardware-error.ts';

/** Lower frequencies are rejected. */
const LOWEST_PWM_HZ = 1;

/** What a pin needs from its board. */
export interface PinContext {
  readonly place: PinLocation;
  /** Frequency of a pin without its own, Hz. */
  defaultPwmHz(): number;
  /** The highest frequency, and the reason for the limit. */
  limit(): { readonly hz: number; readonly reason: string };
  open(): PinOutput;
  /**
   * Checks whether the pin's chip can output these pulses in addition to its current ones.
   * @throws {ArmatureError} `hardware.busy` if all its channels share one clock, and another one runs at another
   * frequency
   */
  checkClock(freqHz: number): void;
  /** The name and level of the digital interrupt that has the line, if there is one. */
  interrupt(): { readonly name: string; level(): Promise<boolean> } | undefined;
  /**
   * Whether outputs of the board were made safe since the last check because the program hung. If so, their pins have
   * been notified.
   */
  noticeExpiry(): ArmatureError | undefined;
  /** Reports a failure to the board, and returns the error to throw: a missing device affects all its pins. */
  failed(error: ArmatureError): ArmatureError;
  /** The pin has started to drive something. */
  onDriven(): void;
}

type Driven =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'level'; readonly isHigh: boolean }
  | { readonly kind: 'pwm'; readonly duty: number; readonly freqHz: number };

/**
 * A pin of the computer. Its line is opened on first use, which makes it an input. The first write drives it; a plain
 * level ends PWM; setting a frequency drives nothing.
 */
export class LinuxPin implements GpioPin {
  readonly name: string;
  readonly #context: PinContext;
  readonly #owners = new PinOwners();
  readonly #lost = new Emitter<ArmatureError>();
  #output: PinOutput | undefined;
  #driven: Driven = { kind: 'nothing' };
  /** The requested frequency; 0 for the board's default. */
  #freqHz = 0;

  constructor(name: string, context: PinContext) {
    this.name = name;
    this.#context = context;
  }

  get place(): PinLocation {
    return this.#context.place;
  }

  get isDriven(): boolean {
    return this.#driven.kind !== 'nothing';
  }

  /** The average output, 0 to 1; undefined if it is not driven. */
  get output(): number | undefined {
    switch (this.#driven.kind) {
      case 'nothing':
        return undefined;
      case 'level':
        return this.#driven.isHigh ? 1 : 0;
      case 'pwm':
        return this.#driven.duty;
    }
  }

  async set(isHigh: boolean): Promise<void> {
    this.#drive({ kind: 'level', isHigh }, (output) => output.write(isHigh));
    this.#freqHz = 0;
  }

  async get(): Promise<boolean> {
    const interrupt = this.#context.interrupt();
    if (interrupt !== undefined) return interrupt.level();
    try {
      return this.#open().read();
    } catch (thrown) {
      throw this.#context.failed(hardwareError(thrown));
    }
  }

  async setPwm(duty: number): Promise<void> {
    if (!(duty >= 0 && duty <= 1)) {
      throw new ArmatureError('call.bad_argument', `Pin "${this.name}": duty ${duty} is not between 0 and 1.`, {
        details: { pin: this.name, argument: 'duty', found: duty, minimum: 0, maximum: 1 },
      });
    }
    const freqHz = this.#freqHz === 0 ? this.#context.defaultPwmHz() : this.#freqHz;
    this.#checkFrequency(freqHz);
    this.#drive({ kind: 'pwm', duty, freqHz }, (output) => output.pwm(duty, freqHz));
  }

  pwm(): Promise<number> {
    return Promise.resolve(this.#driven.kind === 'pwm' ? this.#driven.duty : 0);
  }

  async setPwmFrequency(freqHz: number): Promise<void> {
    const wanted = freqHz === 0 ? this.#context.defaultPwmHz() : freqHz;
    this.#checkFrequency(wanted);
    const driven = this.#driven;
    if (driven.kind === 'pwm') {
      this.#drive({ ...driven, freqHz: wanted }, (output) => output.pwm(driven.duty, wanted));
    }
    this.#freqHz = freqHz;
  }

  pwmFrequency(): Promise<number> {
    const isDefault = this.#freqHz === 0 && this.#driven.kind === 'pwm';
    return Promise.resolve(isDefault ? this.#context.defaultPwmHz() : this.#freqHz);
  }

  /** Drives the safe level, if the pin was driven at all. */
  async makeSafe(): Promise<void> {
    if (this.isDriven) await this.set(this.#context.place.safe);
  }

  own(who?: string): () => void {
    return this.#owners.add(who);
  }

  /** The frequency of its pulses; undefined for a plain level, which has none. */
  get pulsesHz(): number | undefined {
    return frequencyOf(this.#driven);
  }

  /** Its name in messages, with who drives it: `pin "32" (motor "left")`. */
  get title(): string {
    const { names } = this.#owners;
    return `pin "${this.name}"${names.length === 0 ? '' : ` (${names.join(', ')})`}`;
  }

  /** Whether the output ends when the client that drives it is gone. */
  get isHeld(): boolean {
    return this.#owners.hasAny || this.#context.place.isHeld;
  }

  onLost(listener: (reason: ArmatureError) => void): () => void {
    return this.#lost.on(listener);
  }

  /** Called when the board polls: checks that the driven output still exists. */
  look(): void {
    if (!this.isDriven) return;
    try {
      this.#output?.touch();
    } catch (thrown) {
      this.#context.failed(hardwareError(thrown));
    }
  }

  /** Whether its output was made safe because the program hung. */
  isExpired(): boolean {
    return this.isDriven && this.#output?.isExpired() === true;
  }

  /** Its output ended without a command. It drives nothing before the next command. */
  lose(reason: ArmatureError): void {
    const wasDriven = this.isDriven;
    this.#driven = { kind: 'nothing' };
    this.#freqHz = 0;
    if (wasDriven) this.#lost.emit(reason);
  }

  /** Drives the safe level, and releases the line. */
  close(): void {
    this.#driven = { kind: 'nothing' };
    this.#freqHz = 0;
    const output = this.#output;
    this.#output = undefined;
    output?.close();
  }

  #drive(driven: Driven, write: (output: PinOutput) => void): void {
    const interrupt = this.#context.interrupt();
    if (interrupt !== undefined) {
      throw new ArmatureError(
        'call.failed_precondition',
        `Pin "${this.name}" is digital interrupt "${interrupt.name}" and cannot be driven. Use another pin, or remove the interrupt.`,
        { details: { pin: this.name, interrupt: interrupt.name } },
      );
    }
    // Nothing may prevent driving the safe level.
    const isSafe = averageOf(driven) === (this.#context.place.safe ? 1 : 0);
    const before = isSafe ? undefined : this.#context.noticeExpiry();
    if (before !== undefined) throw before;
    try {
      const freqHz = frequencyOf(driven);
      if (freqHz !== undefined) this.#context.checkClock(freqHz);
      write(this.#open());
    } catch (thrown) {
      throw this.#context.failed(hardwareError(thrown));
    }
    this.#driven = driven;
    this.#context.onDriven();
    const meanwhile = isSafe ? undefined : this.#context.noticeExpiry();
    if (meanwhile === undefined) return;
    // The other pins of its group are off: alone, it could turn a motor the other way.
    this.#output?.write(this.#context.place.safe);
    this.lose(meanwhile);
    throw meanwhile;
  }

  #open(): PinOutput {
    this.#output ??= this.#context.open();
    return this.#output;
  }

  #checkFrequency(freqHz: number): void {
    const { hz, reason } = this.#context.limit();
    if (freqHz >= LOWEST_PWM_HZ && freqHz <= hz) return;
    throw new ArmatureError(
      'call.bad_argument',
      `Pin "${this.name}": a PWM frequency of ${freqHz} Hz is not possible; allowed is ${LOWEST_PWM_HZ} to ${hz} Hz${reason === '' ? '' : ` (${reason})`}.`,
      { details: { pin: this.name, argument: 'frequency', found: freqHz, minimum: LOWEST_PWM_HZ, maximum: hz } },
    );
  }
}

function frequencyOf(driven: Driven): number | undefined {
  return driven.kind === 'pwm' && driven.duty > 0 && driven.duty < 1 ? driven.freqHz : undefined;
}

function averageOf(driven: Driven): number {
  if (driven.kind === 'pwm') return driven.duty;
  return driven.kind === 'level' && driven.isHigh ? 1 : 0;
}
