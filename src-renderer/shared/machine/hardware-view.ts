/** The hardware interfaces of a machine's computer, in the page's own types. */
export interface HardwareView {
  /** Simulated, by a server with `-simulate-hardware`. */
  readonly isSimulated: boolean;
  /** Model; '' if unknown. */
  readonly computer: string;
  /** The pin header of the computer, if its model is known. */
  readonly header: { readonly name: string; readonly title: string } | undefined;
  readonly gpioChips: readonly GpioChipView[];
  readonly pwmChips: readonly PwmChipView[];
  readonly spiDevices: readonly DeviceView[];
  readonly i2cBuses: readonly DeviceView[];
  /** Undefined if there is no usable GPIO. */
  readonly limits: { readonly pwmHz: number; readonly isRealTime: boolean } | undefined;
  /** Errors first. */
  readonly problems: readonly HardwareProblemView[];
}

export interface GpioChipView {
  /** `/dev/gpiochip0`; may change at the next boot. */
  readonly path: string;
  readonly name: string;
  /** '' if the chip may not be opened. */
  readonly label: string;
  /** Where it is attached: the same after it was unplugged and plugged in again. */
  readonly id: string;
  readonly isUsable: boolean;
  readonly lines: readonly LineView[];
}

export interface LineView {
  readonly offset: number;
  /** '' if it has none. */
  readonly name: string;
  /** Number of its pin on the header; '' if it is not on the header. */
  readonly headerPin: string;
  readonly isUsed: boolean;
  /** Name of the line's user; '' if there is none or it has no name. */
  readonly holder: string;
  readonly isOutput: boolean;
}

export interface PwmChipView {
  /** `/sys/class/pwm/pwmchip0`. */
  readonly path: string;
  readonly id: string;
  /** Name of the device by its driver: `pca9685`; '' if the driver does not say. */
  readonly name: string;
  readonly channels: number;
  /** Whether all channels that pulse share one frequency. */
  readonly hasOneClock: boolean;
  readonly isUsable: boolean;
}

/** A spidev device or an I2C bus. */
export interface DeviceView {
  readonly path: string;
  readonly label: string;
  readonly isUsable: boolean;
}

export type HardwareArea = 'addon' | 'gpio' | 'pwm' | 'spi' | 'i2c' | 'limits' | 'other';

export interface HardwareProblemView {
  readonly severity: 'error' | 'note';
  readonly area: HardwareArea;
  /** '' if it is about the whole area. */
  readonly device: string;
  /** The reason and the next step. */
  readonly message: string;
  /** The next step as a shell command; '' if it is none. */
  readonly command: string;
}
