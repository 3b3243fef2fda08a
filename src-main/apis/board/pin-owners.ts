import type { GpioPin } from './types.ts';

/** The motors and servos of this program that drive one pin. */
export class PinOwners {
  /** The name of each in messages; '' for one without a name. */
  readonly #owners: { readonly who: string }[] = [];

  get hasAny(): boolean {
    return this.#owners.length > 0;
  }

  /** Those that have a name, each once. */
  get names(): readonly string[] {
    return [...new Set(this.#owners.flatMap(({ who }) => (who === '' ? [] : [who])))];
  }

  /** Returns a function that undoes it; further calls of that do nothing. */
  add(who = ''): () => void {
    const owner = { who };
    this.#owners.push(owner);
    return () => {
      const index = this.#owners.indexOf(owner);
      if (index >= 0) this.#owners.splice(index, 1);
    };
  }
}

/** The same pin, owned under a name: `motor "left"`. */
export function pinFor(who: string, pin: GpioPin): GpioPin {
  return {
    set: (isHigh, extra) => pin.set(isHigh, extra),
    get: (extra) => pin.get(extra),
    setPwm: (duty, extra) => pin.setPwm(duty, extra),
    pwm: (extra) => pin.pwm(extra),
    setPwmFrequency: (freqHz, extra) => pin.setPwmFrequency(freqHz, extra),
    pwmFrequency: (extra) => pin.pwmFrequency(extra),
    ...(pin.makeSafe === undefined ? {} : { makeSafe: () => pin.makeSafe!() }),
    ...(pin.own === undefined ? {} : { own: () => pin.own!(who) }),
    ...(pin.onLost === undefined ? {} : { onLost: (listener) => pin.onLost!(listener) }),
  };
}
