import type { Bias, Drive } from '../../../native/index.js';
import type { HardwareBackend } from '../computer-hardware.ts';

/** The pins and buses of a computer, as they were found; and those that are missing, with what to do about it. */
export interface HardwareDescription {
  readonly backend: HardwareBackend;
  /** Model of the computer, from the device tree or the firmware (`Raspberry Pi 4 Model B Rev 1.4`); '' where unknown. */
  readonly computer: string;
  /** The table of pins that the computer is known to have; undefined where none is known. */
  readonly header: { readonly name: string; readonly title: string } | undefined;
  readonly gpioChips: readonly FoundGpioChip[];
  readonly pwmChips: readonly FoundPwmChip[];
  readonly spiDevices: readonly FoundDevice[];
  readonly i2cBuses: readonly FoundDevice[];
  /** Undefined where there is no GPIO that can be driven. */
  readonly limits: HardwareLimits | undefined;
  readonly problems: readonly HardwareProblem[];
}

export interface FoundGpioChip {
  /** `/dev/gpiochip0`; may be another after the next boot. */
  readonly path: string;
  readonly name: string;
  /** '' where the chip may not be opened. */
  readonly label: string;
  /** Where it is attached, the same after unplugging and plugging in again. */
  readonly id: string;
  /** Whether it can be opened; else a problem with its path says why not. */
  readonly isUsable: boolean;
  /** None where it may not be opened. */
  readonly lines: readonly FoundLine[];
}

export interface FoundLine {
  readonly offset: number;
  /** '' for a line without a name. */
  readonly name: string;
  /** Number of its pin on the header; '' for a line that is on none. */
  readonly headerPin: string;
  /** Whether a program or the kernel holds it. */
  readonly isUsed: boolean;
  /** Who holds it, as that one calls itself; '' where nobody does, or one without a name. */
  readonly holder: string;
  readonly isOutput: boolean;
  readonly isActiveLow: boolean;
  readonly bias: Bias;
  readonly drive: Drive;
}

export interface FoundPwmChip {
  /** `/sys/class/pwm/pwmchip0`. */
  readonly path: string;
  /** Where it is attached, as with {@link FoundGpioChip.id}. */
  readonly id: string;
  /** What its driver calls the device, `pca9685`; '' where it says nothing. */
  readonly name: string;
  readonly channels: number;
  /** Whether all channels have one clock: those that pulse at the same time then have the same frequency. */
  readonly hasOneClock: boolean;
  readonly isUsable: boolean;
}

/** A spidev device or an I2C bus. */
export interface FoundDevice {
  /** `/dev/spidev0.0`, `/dev/i2c-1`. */
  readonly path: string;
  /** What the kernel calls it: of an I2C bus its adapter, which tells a bus with pins from one of a display. */
  readonly label: string;
  readonly isUsable: boolean;
}

export interface HardwareLimits {
  /** Highest frequency of a software PWM, Hz. */
  readonly pwmHz: number;
  /** Whether software PWM runs at real-time priority. */
  readonly isRealTime: boolean;
}

/** What a problem is about. */
export type HardwareArea = 'addon' | 'gpio' | 'pwm' | 'spi' | 'i2c' | 'limits';

/** What is missing or not permitted. */
export interface HardwareProblem {
  readonly area: HardwareArea;
  /** Path of what it is about; '' where it is about all of its area. */
  readonly device: string;
  /** `error`: something is there and cannot be used. `note`: the computer has none, or could do better. */
  readonly severity: 'error' | 'note';
  /** Why, and the next step: one sentence. */
  readonly message: string;
  /** The next step as a line for a shell; '' where it is none. */
  readonly command: string;
}
