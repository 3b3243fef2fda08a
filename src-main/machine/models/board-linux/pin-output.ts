import { ArmatureError } from '../../../base/errors.ts';
import type { HardwarePwm, Line } from '../../../hardware/hardware-types.ts';

/** What drives a pin. Every method throws the addon's errors. */
export interface PinOutput {
  write(isHigh: boolean): void;
  pwm(duty: number, freqHz: number): void;
  /** The level at the wire, or the driven level. */
  read(): boolean;
  /** Fails if the device is gone. */
  touch(): void;
  isExpired(): boolean;
  /** Drives the safe level, and releases the output. */
  close(): void;
}

/** A GPIO line, with software PWM. */
export function lineOutput(line: Line): PinOutput {
  return {
    write: (isHigh) => line.write(isHigh),
    pwm: (duty, freqHz) => line.pwm(duty, freqHz),
    read: () => line.read(),
    touch: () => void line.read(),
    isExpired: () => line.isExpired(),
    close: () => line.close(),
  };
}

/**
 * A channel of a PWM chip. The GPIO line of the same pin is never opened as well: on many computers that would
 * disconnect the pin from the PWM chip until the next boot.
 * @param restHz frequency that is used to output a plain level
 */
export function pwmOutput(channel: HardwarePwm, restHz: number): PinOutput {
  let lastHz = restHz;
  let lastDuty: number | undefined;
  const set = (duty: number, freqHz: number): void => {
    channel.set(duty, freqHz);
    lastHz = freqHz;
    lastDuty = duty;
  };
  return {
    write: (isHigh) => set(isHigh ? 1 : 0, lastHz),
    pwm: set,
    read() {
      const duty = channel.isExpired() ? 0 : lastDuty;
      if (duty === 0 || duty === 1) return duty === 1;
      throw new ArmatureError(
        'call.failed_precondition',
        duty === undefined
          ? 'it is a pin of a PWM chip, whose level can be read only once it is driven'
          : `it carries PWM of a PWM chip (${duty}), which has no level to be read`,
      );
    },
    touch: () => void channel.read(),
    isExpired: () => channel.isExpired(),
    close: () => channel.close(),
  };
}
