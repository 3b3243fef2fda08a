/**
 * Access to hardware: GPIO lines, PWM, SPI, I2C and ADCs of this computer, or of a simulated one.
 * Every failure is an Error with `code` (`hardware.busy`, `hardware.permission`, `hardware.missing`, `hardware.gone`,
 * `hardware.invalid`, `hardware.unsupported`, `hardware.io`), `errno`, `syscall`, `device`, and a message that names
 * the device, what was found and the next step.
 */
import type { Socket } from 'node:net';

export type Bias = 'as-is' | 'disabled' | 'pull-up' | 'pull-down';
export type Drive = 'push-pull' | 'open-drain' | 'open-source';

export interface GpioChip {
  /** `/dev/gpiochip0`; may change at the next boot. */
  readonly path: string;
  readonly name: string;
  readonly label: string;
  readonly lines: number;
  /** Where it is attached (path of its device in sysfs): unchanged after unplugging and plugging in again. */
  readonly id: string;
}

export interface GpioLine {
  readonly offset: number;
  readonly name: string;
  /** The program that holds the line, '' where none does. */
  readonly consumer: string;
  readonly isUsed: boolean;
  readonly isOutput: boolean;
  readonly isActiveLow: boolean;
  readonly bias: Bias;
  readonly drive: Drive;
}

export interface LineOptions {
  readonly chip: string;
  readonly offset: number;
  readonly consumer?: string;
  readonly isActiveLow?: boolean;
  readonly bias?: Bias;
  readonly drive?: Drive;
  /** Logical level that it is driven to when its owner is gone; low where absent. */
  readonly safe?: boolean;
  /**
   * ms after which an output whose program no longer responds goes to its safe level: 150 to 60,000; 500 where absent.
   */
  readonly expiryMs?: number;
}

/** One line, not driven before the first write. Levels are logical: `isActiveLow` is taken into account. */
export interface Line {
  /** Level at the wire, or the driven level. */
  read(): boolean;
  /** Drives the line. Ends a PWM on it. */
  write(isHigh: boolean): void;
  /**
   * Software PWM. 0 and 1 hold the line without a pulse. Changing only the duty cycle keeps the phase; no change makes
   * a pulse longer than commanded.
   * @param dutyCycle 0 to 1
   * @param frequencyHz at most `limits().pwmHz`
   * @throws `hardware.invalid` also where writes to the chip take too long to keep the share of time high within 2 % of
   *   the period; the message names the highest possible frequency. If a chip becomes slow later, its pulses end as if
   *   they had expired
   */
  pwm(dutyCycle: number, frequencyHz: number): void;
  /**
   * Whether it was driven to its safe level because the program did not respond in time. True until it is driven again.
   */
  isExpired(): boolean;
  /** Drives the safe level if it was driven, and releases the line. */
  close(): void;
}

/** Several lines of one chip, read and written in one system call. */
export interface LineGroup {
  readonly lines: readonly Line[];
  read(): boolean[];
  /** undefined leaves a line unchanged. */
  write(levels: readonly (boolean | undefined)[]): void;
  close(): void;
}

export interface EdgeOptions {
  readonly chip: string;
  readonly lines: readonly {
    readonly offset: number;
    readonly edges: 'rising' | 'falling' | 'both';
    readonly debounceUs?: number;
    readonly bias?: Bias;
    readonly isActiveLow?: boolean;
  }[];
  readonly consumer?: string;
  /** Edges buffered for a slow reader; 65,536 where absent. */
  readonly capacity?: number;
}

/** Edges since the last call, oldest first; all arrays have the same length. */
export interface EdgeBatch {
  readonly offsets: Uint32Array;
  readonly levels: Uint8Array;
  /** The kernel's timestamp of each, monotonic, ns. */
  readonly timesNs: BigUint64Array;
  /** The kernel's sequence number of each on its line, from 1: numbers missing in between are lost edges. */
  readonly numbers: Uint32Array;
  /** Edges lost since the last batch: in the kernel's buffer or in ours. */
  readonly lost: number;
}

/** An open watch does not keep the program running. */
export interface EdgeWatch {
  read(offset: number): boolean;
  /** Edges of a line so far, including lost ones. */
  counts(offset: number): { readonly rising: number; readonly falling: number; readonly lost: number };
  /**
   * Calls `onEdges` before it returns, with the edges that have arrived, if any. Without it a program receives them on
   * a later turn of its event loop, after timers that are due.
   */
  deliver(): void;
  close(): void;
}

export interface PwmChip {
  /** `/sys/class/pwm/pwmchip0`. */
  readonly path: string;
  readonly channels: number;
  readonly id: string;
  /** The name that its driver gives the device, `pca9685`; '' where it gives none. */
  readonly name: string;
}

export interface PwmOptions {
  readonly chip: string;
  readonly channel: number;
  readonly expiryMs?: number;
}

/** A channel driven by hardware; off (0) is its safe value. */
export interface HardwarePwm {
  /** Changes only the duty cycle where the frequency is the same: the output does not fall to 0 in between. */
  set(dutyCycle: number, frequencyHz: number): void;
  read(): { readonly dutyCycle: number; readonly frequencyHz: number };
  /** Whether it was turned off because the program did not respond in time. True until it is set again. */
  isExpired(): boolean;
  close(): void;
}

export interface SpiOptions {
  /** `/dev/spidev0.0`. */
  readonly device: string;
  readonly mode?: 0 | 1 | 2 | 3;
  readonly speedHz?: number;
  readonly bitsPerWord?: number;
}

export interface SpiTransfer {
  readonly send: Uint8Array;
  /** Releases chip select after this transfer, also within a batch. */
  readonly isChipSelectReleased?: boolean;
}

export interface Spi {
  /** Full duplex, one system call for all, off the event loop. @returns the bytes received in each */
  transfer(transfers: readonly SpiTransfer[]): Promise<Uint8Array[]>;
  close(): void;
}

export interface I2c {
  transfer(address: number, send: Uint8Array, receive: number): Promise<Uint8Array>;
  close(): void;
}

export type AdcChip = 'mcp3002' | 'mcp3004' | 'mcp3008' | 'mcp3202' | 'mcp3204' | 'mcp3208' | 'ads1115';

export interface AdcOptions {
  readonly chip: AdcChip;
  /** `/dev/spidev0.0`, or `/dev/i2c-1` for the ADS1115. */
  readonly device: string;
  /** Only for the ADS1115. */
  readonly address?: number;
  readonly channels: readonly {
    readonly channel: number;
    readonly samplesPerSecond: number;
    /**
     * The mean of the samples in this time; only the last sample where absent or 0. Intervals without a sample do not
     * count.
     */
    readonly averageOverMs?: number;
  }[];
}

/** Sampled by a thread of the addon, which retries after a failure. */
export interface Adc {
  /**
   * Before the first sample `samples` is 0 and `value` is NaN.
   * @throws the last error, where the most recent attempt failed; `hardware.io` where the converter has not answered
   *   for a second longer than two of the channel's intervals, as when a call hangs. Both say how old the last sample
   *   is
   */
  read(channel: number): { readonly value: number; readonly ageMs: number; readonly samples: number };
  /** Largest raw value. */
  readonly max: number;
  stats(): { readonly samples: number; readonly systemCalls: number; readonly errors: number };
  close(): void;
}

export interface HardwareOptions {
  /**
   * `sim` is a simulated computer: two chips of 32 lines, a pwmchip of 4 channels, an MCP3008 at /dev/spidev0.0, an
   * MCP3208 at 0.1, an MCP3002 at 1.0, an MCP3202 at 1.1, an ADS1115 on /dev/i2c-1 at 0x48.
   */
  readonly backend: 'linux' | 'sim';
  /**
   * Path of the guardian program (`guardianPath()`). Without it outputs are safe only while this process lives. The
   * simulator needs none. With a guardian, process 1 of a container cannot drive anything: the kernel would kill the
   * guardian together with this process.
   */
  readonly guardian?: string;
  /** For tests of the backend `linux`: the folder that has `dev` and `sys`; the root of the file system where absent. */
  readonly root?: string;
}

export interface Hardware {
  gpioChips(): GpioChip[];
  gpioLines(chip: string): GpioLine[];
  openLine(options: LineOptions): Line;
  openLines(options: readonly LineOptions[]): LineGroup;
  /** @param onGone called once when the chip was unplugged: no more edges come */
  watchEdges(options: EdgeOptions, onEdges: (batch: EdgeBatch) => void, onGone?: (error: Error) => void): EdgeWatch;
  pwmChips(): PwmChip[];
  openPwm(options: PwmOptions): HardwarePwm;
  spiDevices(): string[];
  openSpi(options: SpiOptions): Spi;
  i2cBuses(): string[];
  openI2c(bus: string): I2c;
  openAdc(options: AdcOptions): Adc;
  /**
   * What this computer can do: the highest frequency of a software PWM, whether its thread runs at real-time priority.
   */
  limits(): { readonly pwmHz: number; readonly isRealTime: boolean; readonly reason: string };
  /**
   * `latestPwmEdgeUs`: lateness of the latest edge of a software PWM, of all `pwmEdges` so far. `tooSlow`: those of the
   * `expiries` whose reason was a chip that is too slow for its pulses.
   */
  stats(): {
    readonly expiries: number;
    readonly latestPwmEdgeUs: number;
    readonly pwmEdges: number;
    readonly tooSlow: number;
  };
  /** Makes every output safe and closes every handle. Also happens when its environment ends. */
  close(): void;
  /** Only with the backend `sim`: the world outside the computer. */
  readonly sim?: SimWorld;
}

/** The other end of the wires of the backend `sim`. */
export interface SimWorld {
  /** Drives a wire from outside. Levels here are those of the wire, regardless of `isActiveLow`. */
  pull(chip: string, offset: number, isHigh: boolean): void;
  /** Whether a wire is driven by this computer, its level, and the share of time high since the last call. */
  probe(
    chip: string,
    offset: number,
  ): { readonly isDriven: boolean; readonly isHigh: boolean; readonly dutyCycle: number };
  probePwm(chip: string, channel: number): { readonly dutyCycle: number; readonly frequencyHz: number };
  setAdc(device: string, channel: number, value: number): void;
  /** Removes a chip, or a spidev, an I2C bus or the pwmchip by its path: its handles fail from then on. */
  unplug(device: string): void;
  plug(device: string): void;
  /**
   * From now on the channels of the pwmchip share one clock, as those of a PCA9685, and follow the rules of its driver.
   */
  shareClock(): void;
  /**
   * Each write to a GPIO chip, or transfer of a spidev, takes this long, as on a chip behind a bus; the wire changes at
   * its end.
   */
  delayWrites(device: string, ms: number): void;
  /** Makes this many of the next writes to a GPIO chip, or to the pwmchip, fail. */
  failWrites(device: string, count: number): void;
}

/** @throws `hardware.unsupported` where the addon was not built or does not support this computer */
export function openHardware(options: HardwareOptions): Hardware;

/** Why there is no hardware here, in a sentence with the next step; undefined where the addon is built and loads. */
export function missingReason(): string | undefined;

/**
 * Keeps other processes of the same user from reading the memory and environment of this one (prctl(2),
 * PR_SET_DUMPABLE). It then writes no core dumps, and only root can debug it.
 * @returns false where that is not possible: not Linux, or the addon was not built
 */
export function hideMemory(): boolean;

/**
 * Makes the kernel end a connection whose peer has not acknowledged sent data or keep-alive probes for this long
 * (tcp(7), TCP_USER_TIMEOUT; RFC 5482).
 * @param socket a connected TCP socket, or TLS over one
 * @returns false where that is not possible: not Linux, the addon was not built, or it is not TCP
 */
export function limitUnanswered(socket: Socket, ms: number): boolean;

/** The guardian program that was built with the addon. */
export function guardianPath(): string;
