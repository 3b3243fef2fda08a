import type { PinOutput } from './pin-output.ts';
import type { PinLocation } from './pin-names.ts';
import type { GpioPin } from '../../../apis/board/types.ts';
import { PinOwners } from '../../../apis/board/pin-owners.ts';
import { Emitter } from '../../../base/async/emitter.ts';
import { ArmatureError } from '../../../base/errors.ts';
import { hardwareError } from '../../../hardware/hardware-error.ts';

/** A frequency below this is refused. */
const LOWEST_PWM_HZ = 1;

/** What a pin needs from its board. */
export interface PinContext {
  readonly place: PinLocation;
  /** Frequency of a pin that was given none, Hz. */
  defaultPwmHz(): number;
  /** Highest frequency, and why. */
  limit(): { readonly hz: number; readonly reason: string };
  open(): PinOutput;
  /**
   * Whether pulses can be had beside what the pin's chip does already.
   * @throws {ArmatureError} `hardware.busy` where all of its channels have one clock, and another pulses at another frequency
   */
  checkClock(freqHz: number): void;
  /** The level where a digital interrupt has the line, and its name. */
  interrupt(): { readonly name: string; level(): Promise<boolean> } | undefined;
  /**
   * Whether outputs of the board were made safe since the last look because the program did not run; then it has told
   * their pins.
   */
  noticeExpiry(): ArmatureError | undefined;
  /** Tells the board of a failure; answers with what to throw: a device that is gone takes all its pins with it. */
  failed(error: ArmatureError): ArmatureError;
  /** Something is driven from now on. */
  onDriven(): void;
}

type Driven =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'level'; readonly isHigh: boolean }
  | { readonly kind: 'pwm'; readonly duty: number; readonly freqHz: number };

/**
 * A pin of the computer. Its line is opened when it is first used: opening makes it an input. The
 * first write drives it; a plain level ends PWM; setting a frequency drives nothing.
 */
export class LinuxPin implements GpioPin {
  readonly name: string;
  readonly #context: PinContext;
  readonly #owners = new PinOwners();
  readonly #lost = new Emitter<ArmatureError>();
  #output: PinOutput | undefined;
  #driven: Driven = { kind: 'nothing' };
  /** What was asked for; 0 for the board's own. */
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

  /** What it puts out, averaged, 0 to 1; undefined where it is not driven. */
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

  /** To its safe level, where it was driven at all. */
  async makeSafe(): Promise<void> {
    if (this.isDriven) await this.set(this.#context.place.safe);
  }

  own(who?: string): () => void {
    return this.#owners.add(who);
  }

  /** The frequency of its pulses; undefined where it has none: a plain level has no frequency. */
  get pulsesHz(): number | undefined {
    return frequencyOf(this.#driven);
  }

  /** How texts name it, with who drives it: `pin "32" (motor "left")`. */
  get title(): string {
    const { names } = this.#owners;
    return `pin "${this.name}"${names.length === 0 ? '' : ` (${names.join(', ')})`}`;
  }

  /** Whether what a client drives here ends with that client. */
  get isHeld(): boolean {
    return this.#owners.hasAny || this.#context.place.isHeld;
  }

  onLost(listener: (reason: ArmatureError) => void): () => void {
    return this.#lost.on(listener);
  }

  /** The board's look: whether what it drives is still there. */
  look(): void {
    if (!this.isDriven) return;
    try {
      this.#output?.touch();
    } catch (thrown) {
      this.#context.failed(hardwareError(thrown));
    }
  }

  /** Whether what it drove was made safe because the program did not run. */
  isExpired(): boolean {
    return this.isDriven && this.#output?.isExpired() === true;
  }

  /** What it drove has ended without a command. It drives nothing before the next one. */
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
    // Towards the safe level nothing may stand in the way.
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
    // Others that it belongs with are off: on its own it could turn a motor the other way.
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
