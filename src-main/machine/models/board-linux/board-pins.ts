import { LinuxPin, type PinContext } from './linux-pin.ts';
import { lineOutput, pwmOutput, type PinOutput } from './pin-output.ts';
import type { GpioChips, PwmChips } from './board-devices.ts';
import type { LineLocation, PinLocation } from './pin-names.ts';
import { ArmatureError, toArmatureError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import { hasOneClock } from '../../../hardware/discovery/one-clock.ts';
import { hardwareErrorOf, withHardware } from '../../../hardware/hardware-error.ts';
import type { Hardware } from '../../../hardware/hardware-types.ts';

/** Above the range of any PWM chip; a chip itself reports frequencies that it does not support. */
const HIGHEST_CHIP_HZ = 100_000_000;

export interface BoardPinsOptions {
  readonly board: string;
  readonly hardware: Hardware;
  readonly gpioChips: GpioChips;
  readonly pwmChips: PwmChips;
  readonly find: (name: string) => PinLocation;
  /** The digital interrupt on a line, if there is one. */
  readonly interruptOn: (line: LineLocation) => { readonly name: string; level(): Promise<boolean> } | undefined;
  readonly consumer: string;
  readonly expiryMs: number;
  readonly defaultPwmHz: () => number;
  /** A device was found to be unplugged; called with its id. */
  readonly onGone: (kind: 'gpio' | 'pwm', id: string) => void;
  readonly onDriven: () => void;
  readonly logger: Logger;
}

/** A map key for a line. */
export function keyOf({ chip, offset }: LineLocation): string {
  return `${chip} ${offset}`;
}

/** The pins of a board that were requested: one per line, even if it was requested by several names. */
export class BoardPins {
  readonly #options: BoardPinsOptions;
  readonly #byName = new Map<string, LinuxPin>();
  readonly #byPlace = new Map<string, LinuxPin>();
  readonly #devices = new Map<LinuxPin, { readonly kind: 'gpio' | 'pwm'; readonly id: string }>();
  /** Pins whose PWM chip was missing when they were first used. */
  readonly #softwareOnly = new Set<PinLocation>();
  /** Whether all channels of a PWM chip share one clock, by the chip's id. */
  readonly #oneClock = new Map<string, boolean>();
  #expiries: number;
  #tooSlow: number;
  #isClosed = false;

  constructor(options: BoardPinsOptions) {
    this.#options = options;
    ({ expiries: this.#expiries, tooSlow: this.#tooSlow } = options.hardware.stats());
  }

  /** @throws {ArmatureError} as `PinNames.find` */
  pin(name: string): LinuxPin {
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    const place = this.#options.find(name);
    const key = place.line === undefined ? `pwm ${place.pwm?.chip} ${place.pwm?.channel}` : keyOf(place.line);
    const pin = this.#byPlace.get(key) ?? new LinuxPin(name, this.#bench(name, place));
    this.#byName.set(name, pin);
    this.#byPlace.set(key, pin);
    return pin;
  }

  /** The pin of a line, if it was requested. */
  on(line: LineLocation): LinuxPin | undefined {
    return this.#byPlace.get(keyOf(line));
  }

  /** The output of a pin, 0 to 1; 0 if it was not requested or is not driven. */
  outputOf(name: string): number {
    const known = this.#byName.get(name);
    if (known !== undefined) return known.output ?? 0;
    try {
      return this.pin(name).output ?? 0;
    } catch {
      return 0; // a missing pin outputs nothing
    }
  }

  get driven(): readonly LinuxPin[] {
    return [...this.#byPlace.values()].filter((pin) => pin.isDriven);
  }

  /** Checks whether the driven outputs still exist, and whether they were made safe. */
  look(): void {
    this.#noticeExpiry();
    for (const pin of this.driven) pin.look();
  }

  /** A device is gone, and with it all outputs driven on it. */
  loseDevice(kind: 'gpio' | 'pwm', id: string, reason: ArmatureError): void {
    for (const [pin, device] of [...this.#devices]) {
      if (device.kind !== kind || device.id !== id) continue;
      pin.lose(reason);
      this.#release(pin);
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const pin of this.#byPlace.values()) this.#release(pin);
  }

  #release(pin: LinuxPin): void {
    this.#devices.delete(pin);
    try {
      pin.close();
    } catch (thrown) {
      // If the device is gone, there is nothing left to make safe; the other pins must still be closed.
      this.#options.logger.warn(toArmatureError(thrown).message);
    }
  }

  #bench(name: string, place: PinLocation): PinContext {
    const { board, hardware, defaultPwmHz, interruptOn, onGone, onDriven } = this.#options;
    const who = `Board "${board}", pin "${name}"`;
    return {
      place,
      defaultPwmHz,
      limit: () =>
        withHardware(who, () => {
          if (this.#pwmChipOf(place) !== undefined) return { hz: HIGHEST_CHIP_HZ, reason: '' };
          const { pwmHz, reason } = hardware.limits();
          return { hz: pwmHz, reason: `PWM by software; ${reason}` };
        }),
      open: () => withHardware(who, () => this.#open(name, place)),
      checkClock: (freqHz) => this.#checkClock(name, place, freqHz),
      interrupt: () => (place.line === undefined ? undefined : interruptOn(place.line)),
      noticeExpiry: () => this.#noticeExpiry(),
      failed: (error) => {
        const device = this.#devices.get(this.pin(name));
        if (error.code !== 'hardware.gone') return hardwareErrorOf(who, error);
        if (device !== undefined) onGone(device.kind, device.id);
        return hardwareErrorOf(who, device === undefined ? error : this.#chips(device.kind).gone(device.id));
      },
      onDriven,
    };
  }

  #open(name: string, place: PinLocation): PinOutput {
    const { hardware, consumer, expiryMs, defaultPwmHz, gpioChips, pwmChips } = this.#options;
    // A pin that somebody still holds must not drive an output that would not be made safe.
    if (this.#isClosed) throw new ArmatureError('resource.not_ready', 'its board was closed.');
    const pwmChip = this.#pwmChipOf(place);
    const pin = this.pin(name);
    if (pwmChip !== undefined && place.pwm !== undefined) {
      const channel = hardware.openPwm({ chip: pwmChips.pathOf(pwmChip), channel: place.pwm.channel, expiryMs });
      this.#devices.set(pin, { kind: 'pwm', id: pwmChip });
      return pwmOutput(channel, defaultPwmHz());
    }
    if (place.line === undefined)
      throw new ArmatureError('internal.bug', `pin "${name}" has neither line nor PWM chip`);
    const { chip, offset } = place.line;
    const line = hardware.openLine({
      chip: gpioChips.pathOf(chip),
      offset,
      consumer,
      expiryMs,
      safe: place.safe,
      isActiveLow: place.isActiveLow,
      bias: place.bias,
      drive: place.drive,
    });
    this.#devices.set(pin, { kind: 'gpio', id: chip });
    return lineOutput(line);
  }

  /**
   * The id of the PWM chip that drives a pin. If the chip is missing when the pin is first used, software drives the
   * line from then on: a pin never switches between the two while somebody may be driving it.
   * @throws {ArmatureError} `hardware.missing` for a pin that only a PWM chip can drive
   */
  #pwmChipOf(place: PinLocation): string | undefined {
    if (place.pwm === undefined || this.#softwareOnly.has(place)) return undefined;
    try {
      return this.#options.pwmChips.idOf(place.pwm.chip);
    } catch (thrown) {
      const error = toArmatureError(thrown);
      if (place.line === undefined || error.code !== 'hardware.missing') throw error;
      this.#softwareOnly.add(place);
      this.#options.logger.warn(`${error.message} PWM of its pin is made by software.`);
      return undefined;
    }
  }

  #checkClock(name: string, place: PinLocation, freqHz: number): void {
    const id = this.#pwmChipOf(place);
    if (id === undefined || !this.#hasOneClock(id)) return;
    const pin = this.pin(name);
    for (const [other, device] of this.#devices) {
      const { pulsesHz } = other;
      if (other === pin || device.kind !== 'pwm' || device.id !== id) continue;
      if (pulsesHz === undefined || pulsesHz === freqHz) continue;
      throw new ArmatureError(
        'hardware.busy',
        `${pin.title} cannot run at ${freqHz} Hz while ${other.title} runs at ${pulsesHz} Hz, as all channels of ${this.#options.pwmChips.title(id)} have one clock; give both the same frequency, or stop the other`,
        { details: { pin: pin.name, frequency: freqHz, otherPin: other.name, otherFrequency: pulsesHz } },
      );
    }
  }

  #hasOneClock(id: string): boolean {
    const known = this.#oneClock.get(id);
    if (known !== undefined) return known;
    const chip = this.#options.pwmChips.present().find((one) => one.id === id);
    if (chip === undefined) return false; // unplugged: opening it reports that
    const found = hasOneClock(chip);
    this.#oneClock.set(id, found);
    return found;
  }

  #chips(kind: 'gpio' | 'pwm'): { gone(id: string): ArmatureError } {
    return kind === 'gpio' ? this.#options.gpioChips : this.#options.pwmChips;
  }

  #noticeExpiry(): ArmatureError | undefined {
    const { board, hardware, expiryMs, logger } = this.#options;
    const { expiries, tooSlow } = hardware.stats();
    if (expiries === this.#expiries) return undefined;
    const isTooSlow = tooSlow - this.#tooSlow === expiries - this.#expiries;
    this.#expiries = expiries;
    this.#tooSlow = tooSlow;
    const expired = [...this.#byPlace.values()].filter((pin) => pin.isExpired());
    if (expired.length === 0) return undefined;
    const names = expired.map((pin) => `"${pin.name}"`).join(', ');
    const reason = new ArmatureError(
      'hardware.failed',
      isTooSlow
        ? `Board "${board}": the chip became too slow for the PWM of ${names}, which went to safe levels. Give the command again: it says what frequency is possible.`
        : `Board "${board}": the program did not run for more than ${expiryMs} ms, so ${names} went to safe levels. Give the command again; "expiry_ms" says how long the program may hang.`,
      { details: { board, pins: expired.map((pin) => pin.name), expiryMs } },
    );
    logger.error(reason.message);
    for (const pin of expired) pin.lose(reason);
    return reason;
  }
}
