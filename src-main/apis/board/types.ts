import type { ArmatureError } from '../../base/errors.ts';
import type { CallOptions, Extra, Resource } from '../resource.ts';

/** One GPIO pin of a board. A pin is a plain level or a PWM output; the last `set` or `setPwm` decides. */
export interface GpioPin {
  /** Drives a plain level and ends PWM on the pin. */
  set(isHigh: boolean, extra?: Extra): Promise<void>;
  get(extra?: Extra): Promise<boolean>;
  /** @param duty part of each period that is high, 0 to 1 */
  setPwm(duty: number, extra?: Extra): Promise<void>;
  /** Duty, 0 to 1; 0 for a pin without PWM. */
  pwm(extra?: Extra): Promise<number>;
  /** Keeps the duty. 0 asks for the board's own default. */
  setPwmFrequency(freqHz: number, extra?: Extra): Promise<void>;
  pwmFrequency(extra?: Extra): Promise<number>;
  /** Drives the safe level of the pin, low by default, because the caller that drove it is gone. */
  makeSafe?(): Promise<void>;
  /**
   * A motor or servo of this program drives it from now on, so the pin is made safe when a client is gone. Returns a
   * function that undoes it.
   * @param who its name in messages: `motor "left"`
   */
  own?(who?: string): () => void;
  /**
   * Calls back when the output has ended without a command: the pin's device was unplugged, or it was made safe because
   * the program hung. It drives nothing until the next command. Returns an unsubscribe function.
   */
  onLost?(listener: (reason: ArmatureError) => void): () => void;
}

/** One reading of an ADC, with the range and step of its raw values. */
export interface AnalogReading {
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly step: number;
}

/** One edge on a digital interrupt. */
export interface Tick {
  /** Name the interrupt was asked for by. */
  readonly interrupt: string;
  /** Nanoseconds since the Unix epoch, strictly growing per interrupt whatever the wall clock does. */
  readonly timeNs: bigint;
  /** Level after the edge. */
  readonly isHigh: boolean;
  /** Edges of this line that were lost between the previous tick and this one; absent if none is known. */
  readonly missed?: number;
}

export interface DigitalInterrupt {
  readonly name: string;
  /** Ticks counted so far. */
  value(extra?: Extra): Promise<number>;
  /** The level of the line now, not a count: what a quadrature decoder starts from. */
  level(): Promise<boolean>;
  /** Why no edge can be seen now, its chip unplugged for example; undefined where edges are seen. */
  readonly failure?: ArmatureError | undefined;
  /**
   * Reports the edges so far before it returns. Without it, a program that was held up runs its timers before it gets
   * the edges of that time.
   */
  catchUp?(): void;
  /** Calls `listener` on every edge, synchronously and in order. Returns an unsubscribe function. */
  onTick(listener: (tick: Tick) => void): () => void;
  /**
   * Calls back when edges are seen again after a time without counting, for example because its chip was unplugged.
   * Returns an unsubscribe function.
   */
  onGap?(listener: () => void): () => void;
}

/** Power modes, by their names on the wire. */
export type PowerMode = 'normal' | 'offline-deep';

/** Pins, ADCs and interrupts of one computer or extension board. */
export interface Board extends Resource {
  /** Aborts when the board is closed: no more ticks come, and those who wait for one must be told. */
  readonly closed: AbortSignal;
  /** Throws `call.not_found` where the board has no such pin. */
  gpioPin(pin: string): GpioPin;
  /** Throws `call.not_found` for an analog the configuration does not name. */
  readAnalog(name: string, options?: CallOptions): Promise<AnalogReading>;
  /** Writes to an analog output, found by its name in the configuration, or by its pin. */
  writeAnalog(nameOrPin: string, value: number, options?: CallOptions): Promise<void>;
  /**
   * Whether a pin or analog output is made safe when the client that drives it is gone: a motor or servo owns the pin,
   * or its configuration has `"hold": "session"`. Others stay as they were set, as relays need it.
   */
  holdsPin?(pin: string): boolean;
  /** By name or by pin. Throws `call.not_found`. */
  digitalInterrupt(name: string): DigitalInterrupt;
  /** @param durationMs undefined: until changed */
  setPowerMode?(mode: PowerMode, durationMs: number | undefined, options?: CallOptions): Promise<void>;
}
