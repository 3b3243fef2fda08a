/** What the computer of a machine has for wires, in the page's own words. */
export interface HardwareView {
  /** A computer in memory, of a server with `-simulate-hardware`. */
  readonly isSimulated: boolean;
  /** Model; '' where unknown. */
  readonly computer: string;
  /** The table of pins that the computer is known to have. */
  readonly header: { readonly name: string; readonly title: string } | undefined;
  readonly gpioChips: readonly GpioChipView[];
  readonly pwmChips: readonly PwmChipView[];
  readonly spiDevices: readonly DeviceView[];
  readonly i2cBuses: readonly DeviceView[];
  /** Undefined where there is no GPIO that can be driven. */
  readonly limits: { readonly pwmHz: number; readonly isRealTime: boolean } | undefined;
  /** Errors first. */
  readonly problems: readonly HardwareProblemView[];
}

export interface GpioChipView {
  /** `/dev/gpiochip0`; may be another after the next boot. */
  readonly path: string;
  readonly name: string;
  /** '' where the chip may not be opened. */
  readonly label: string;
  /** Where it is attached: the same after unplugging and plugging in again. */
  readonly id: string;
  readonly isUsable: boolean;
  readonly lines: readonly LineView[];
}

export interface LineView {
  readonly offset: number;
  /** '' where it has none. */
  readonly name: string;
  /** Number of its pin on the header; '' where it is on none. */
  readonly headerPin: string;
  readonly isUsed: boolean;
  /** '' where nobody holds it, or one without a name. */
  readonly holder: string;
  readonly isOutput: boolean;
}

export interface PwmChipView {
  /** `/sys/class/pwm/pwmchip0`. */
  readonly path: string;
  readonly id: string;
  /** As its driver calls the device: `pca9685`; '' where it does not say. */
  readonly name: string;
  readonly channels: number;
  /** Whether all channels that pulse have the same frequency. */
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
  /** '' where it is about all of its area. */
  readonly device: string;
  /** Why, and the next step. */
  readonly message: string;
  /** The next step for a shell; '' where it is none. */
  readonly command: string;
}
