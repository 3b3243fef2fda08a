import type { GpioPin } from '../../../apis/board/types.ts';
import { PinOwners } from '../../../apis/board/pin-owners.ts';
import { ArmatureError } from '../../../base/errors.ts';

/** One operation on a pin; golden tests of pin sequences compare lists of them. */
export interface PinOperation {
  readonly pin: string;
  readonly op: 'set' | 'pwm' | 'freq';
  readonly value: boolean | number;
}

/** A pin that only stores its state. */
export class FakePin implements GpioPin {
  readonly name: string;
  readonly #onOperation: (operation: PinOperation) => void;
  readonly #owners = new PinOwners();
  #isHigh = false;
  #duty = 0;
  #freqHz = 0;
  #isPwm = false;

  /** @param onOperation called after each change */
  constructor(name: string, onOperation: (operation: PinOperation) => void) {
    this.name = name;
    this.#onOperation = onOperation;
  }

  /** The average output of the pin: 0 to 1. */
  get output(): number {
    if (this.#isPwm) return this.#duty;
    return this.#isHigh ? 1 : 0;
  }

  set(isHigh: boolean): Promise<void> {
    this.#isHigh = isHigh;
    this.#isPwm = false;
    this.#duty = 0;
    this.#freqHz = 0;
    this.#onOperation({ pin: this.name, op: 'set', value: isHigh });
    return Promise.resolve();
  }

  get(): Promise<boolean> {
    return Promise.resolve(this.#isHigh);
  }

  async setPwm(duty: number): Promise<void> {
    if (!(duty >= 0 && duty <= 1)) {
      throw new ArmatureError('call.bad_argument', `Pin "${this.name}": duty ${duty} is not between 0 and 1.`);
    }
    this.#duty = duty;
    this.#isPwm = true;
    this.#onOperation({ pin: this.name, op: 'pwm', value: duty });
  }

  pwm(): Promise<number> {
    return Promise.resolve(this.#duty);
  }

  async setPwmFrequency(freqHz: number): Promise<void> {
    if (!(freqHz >= 0 && Number.isFinite(freqHz))) {
      throw new ArmatureError('call.bad_argument', `Pin "${this.name}": PWM frequency ${freqHz} Hz is not 0 or more.`);
    }
    this.#freqHz = freqHz;
    this.#onOperation({ pin: this.name, op: 'freq', value: freqHz });
  }

  pwmFrequency(): Promise<number> {
    return Promise.resolve(this.#freqHz);
  }

  own(): () => void {
    return this.#owners.add();
  }

  get isOwned(): boolean {
    return this.#owners.hasAny;
  }
}
