import type { GpioChips } from './board-devices.ts';
import { ArmatureError } from '../../../base/errors.ts';
import { hardwareError } from '../../../hardware/hardware-error.ts';
import type { GpioChip, GpioLine } from '../../../hardware/hardware-types.ts';
import type { Header } from '../../../hardware/headers/header.ts';
import { wiresOf } from './rules.ts';
import type { LinuxBoardAttributes, LinuxPinAttributes } from './attributes.ts';

/** A line: the id of its chip, and its offset on that chip. */
export interface LineLocation {
  readonly chip: string;
  readonly offset: number;
}

/** What a pin name refers to. */
export interface PinLocation {
  /** Undefined for a pin that only a PWM chip drives. */
  readonly line: LineLocation | undefined;
  /** A channel of a PWM chip. The chip is named as in the configuration, or by its id. */
  readonly pwm: { readonly chip: string; readonly channel: number } | undefined;
  /** Logical level. */
  readonly safe: boolean;
  readonly isActiveLow: boolean;
  /** Whether it returns to its safe level when a client that drove it is gone. */
  readonly isHeld: boolean;
  readonly bias: NonNullable<LinuxPinAttributes['bias']>;
  readonly drive: NonNullable<LinuxPinAttributes['drive']>;
}

export interface PinNamesOptions {
  readonly attributes: Pick<LinuxBoardAttributes, 'chip' | 'pins' | 'digital_interrupts'>;
  readonly header: Header | undefined;
  readonly chips: GpioChips;
  readonly linesOf: (chip: GpioChip) => readonly GpioLine[];
  /** The PWM channel that is connected to a line, as reported by the computer. */
  readonly pwmOf: (chip: GpioChip, offset: number) => PinLocation['pwm'];
}

/**
 * Resolves a pin name to, in this order: a pin of `pins`, a digital interrupt, a pin of the header, a common name for a
 * line of it (`GPIO17`), the name of a line in the kernel, an offset on the board's chip.
 */
export class PinNames {
  readonly #attributes: PinNamesOptions['attributes'];
  readonly #header: Header | undefined;
  readonly #chips: GpioChips;
  readonly #linesOf: PinNamesOptions['linesOf'];
  readonly #computerPwmOf: PinNamesOptions['pwmOf'];
  /** The id of the chip that plain numbers refer to, once known: plugging in another chip does not change it. */
  #boardChipId: string | undefined;

  constructor({ attributes, header, chips, linesOf, pwmOf }: PinNamesOptions) {
    this.#attributes = attributes;
    this.#header = header;
    this.#chips = chips;
    this.#linesOf = linesOf;
    this.#computerPwmOf = pwmOf;
  }

  /**
   * @throws {ArmatureError} `call.not_found` if the name is unknown; `hardware.missing` if its chip is missing;
   * `config.invalid` if it is ambiguous
   */
  find(name: string): PinLocation {
    const own = this.#attributes.pins?.find((pin) => pin.name === name);
    if (own !== undefined) return this.#placeOf(own);
    const interrupt = this.#attributes.digital_interrupts?.find((one) => one.name === name);
    if (interrupt !== undefined && interrupt.pin !== name) return this.find(interrupt.pin);
    return this.#withOptions(this.#line(name));
  }

  #placeOf(pin: LinuxPinAttributes): PinLocation {
    const { chip, line, pwmChip, pwmChannel } = wiresOf(pin);
    const pwm = pwmChip === undefined || pwmChannel === undefined ? undefined : { chip: pwmChip, channel: pwmChannel };
    let place: LineLocation | undefined;
    if (line !== undefined) {
      place = { chip: chip === undefined ? this.#boardChip(pin.name) : this.#chips.idOf(chip), offset: line };
    } else {
      const named = pin.pin ?? pin.name;
      place = pwm === undefined ? this.#line(named) : this.#lineIfAny(named);
    }
    const { safe = 'low', active_low: isActiveLow = false, bias = 'as-is', drive = 'push-pull' } = pin;
    // A PWM chip supports none of these, so they require the line.
    const wantsLine = safe === 'high' || isActiveLow || drive !== 'push-pull';
    const found = pwm ?? (wantsLine ? undefined : this.#pwmOf(place));
    return { line: place, pwm: found, safe: safe === 'high', isActiveLow, isHeld: pin.hold === 'session', bias, drive };
  }

  /** Applies the configured options of a line, whichever name it was requested by. */
  #withOptions(line: LineLocation): PinLocation {
    for (const pin of this.#attributes.pins ?? []) {
      const place = this.#placeIfThere(pin);
      if (place?.line?.chip === line.chip && place.line.offset === line.offset) return place;
    }
    return {
      line,
      pwm: this.#pwmOf(line),
      safe: false,
      isActiveLow: false,
      isHeld: false,
      bias: 'as-is',
      drive: 'push-pull',
    };
  }

  #pwmOf(line: LineLocation | undefined): PinLocation['pwm'] {
    const chip = line && this.#chips.present().find(({ id }) => id === line.chip);
    return chip && this.#computerPwmOf(chip, line.offset);
  }

  #placeIfThere(pin: LinuxPinAttributes): PinLocation | undefined {
    try {
      return this.#placeOf(pin);
    } catch {
      return undefined; // a pin whose chip is missing is not the one that was found
    }
  }

  /** A pin of a PWM chip also has a line if its name refers to one. */
  #lineIfAny(name: string): LineLocation | undefined {
    try {
      return this.#line(name);
    } catch {
      return undefined; // the name exists only in the configuration
    }
  }

  #line(name: string): LineLocation {
    const pin = this.#header?.pins.get(name);
    if (pin !== undefined && 'supply' in pin) {
      throw new ArmatureError(
        'call.not_found',
        `pin ${name} of the header (${this.#header?.title}) is ${pin.supply}, no line.`,
        { details: { found: name } },
      );
    }
    const offset = pin?.offset ?? this.#header?.names.get(name);
    if (offset !== undefined) return { chip: this.#boardChip(name), offset };
    return this.#lineNamed(name) ?? this.#lineAt(name);
  }

  /** Line names come from the firmware, so several chips may have the same one; then the board's own chip is used. */
  #lineNamed(name: string): LineLocation | undefined {
    const found: LineLocation[] = [];
    let failure: ArmatureError | undefined;
    for (const chip of this.#chips.present()) {
      try {
        for (const line of this.#linesOf(chip)) {
          if (line.name === name) found.push({ chip: chip.id, offset: line.offset });
        }
      } catch (thrown) {
        failure ??= hardwareError(thrown); // reported if the name is not found anywhere else
      }
    }
    if (found.length > 1 && this.#attributes.chip !== undefined) {
      const own = this.#chips.idOf(this.#attributes.chip);
      const onOwn = found.filter(({ chip }) => chip === own);
      if (onOwn.length === 1) return onOwn[0];
    }
    if (found.length > 1) {
      const places = found.map(({ chip, offset }) => `line ${offset} of ${this.#chips.title(chip)}`);
      throw new ArmatureError(
        'config.invalid',
        `${found.length} lines are named "${name}": ${places.join(', ')}. Name one in "pins" by its chip and number.`,
        { details: { found: name, allowed: places } },
      );
    }
    if (found.length === 0 && failure !== undefined && !/^\d+$/.test(name)) throw failure;
    return found[0];
  }

  #lineAt(name: string): LineLocation {
    if (!/^\d{1,5}$/.test(name)) throw this.#notFound(name);
    const chip = this.#boardChip(name);
    const present = this.#chips.present().find(({ id }) => id === chip);
    // A chip without access permission has 0 lines here; opening the line reports why.
    if (present !== undefined && present.lines > 0 && Number(name) >= present.lines) {
      throw new ArmatureError(
        'call.not_found',
        `there is no pin "${name}": ${this.#chips.title(chip)} has lines 0 to ${present.lines - 1}.`,
        { details: { found: name } },
      );
    }
    return { chip, offset: Number(name) };
  }

  #boardChip(name: string): string {
    this.#boardChipId ??= this.#findBoardChip(name);
    return this.#boardChipId;
  }

  #findBoardChip(name: string): string {
    if (this.#attributes.chip !== undefined) return this.#chips.idOf(this.#attributes.chip);
    const chips = this.#chips.present();
    const ofHeader = chips.find(({ label }) => this.#header?.chipLabels.includes(label) === true);
    const chip = ofHeader ?? (chips.length === 1 ? chips[0] : undefined);
    if (chip !== undefined) return chip.id;
    if (chips.length === 0) {
      throw new ArmatureError(
        'hardware.missing',
        `pin "${name}" is not there, as this computer has no GPIO chip. Plug one in.`,
        { details: { found: name } },
      );
    }
    throw new ArmatureError(
      'config.invalid',
      `"${name}" does not say which GPIO chip it is of; ${this.#chips.describe()} Set "chip".`,
      { details: { found: name, allowed: chips.map(({ path }) => path) } },
    );
  }

  #notFound(name: string): ArmatureError {
    const { pins = [], digital_interrupts: interrupts = [] } = this.#attributes;
    const known = [...new Set([...pins, ...interrupts].map((one) => `"${one.name}"`))];
    const header = this.#header === undefined ? [] : [`the pins of its header (${this.#header.title})`];
    const all = [...known, ...header, 'names of lines', 'offsets of lines'];
    return new ArmatureError(
      'call.not_found',
      `there is no pin "${name}"; known are ${all.join(', ')}. "armature doctor" lists the lines.`,
      { details: { found: name, allowed: known } },
    );
  }
}
