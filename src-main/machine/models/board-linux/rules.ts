import {
  DEFAULT_LINUX_SAMPLES_PER_SEC,
  linuxBoardDefaults,
  type AdcChipName,
  type LinuxAnalogAttributes,
  type LinuxBoardAttributes,
  type LinuxInterruptAttributes,
  type LinuxPinAttributes,
} from './attributes.ts';
import {
  attributeError,
  attributeWarning,
  type AttributeProblem,
} from '../../../../proto/config/models/attribute-problem.ts';
import { simulatedMotorProblems } from '../../../../proto/config/models/simulated-motor.ts';

/**
 * Number of channels, and the maximum samples per second of all channels together, as in the addon
 * (`native/src/converters.cpp`).
 */
const converters: Readonly<Record<AdcChipName, { readonly channels: number; readonly fastest: number }>> = {
  mcp3002: { channels: 2, fastest: 62_500 },
  mcp3004: { channels: 4, fastest: 41_666 },
  mcp3008: { channels: 8, fastest: 41_666 },
  mcp3202: { channels: 2, fastest: 37_500 },
  mcp3204: { channels: 4, fastest: 41_666 },
  mcp3208: { channels: 8, fastest: 41_666 },
  ads1115: { channels: 4, fastest: 400 },
};
/** Texas Instruments SBAS444, 9.5.1.1: the pin ADDR at GND, VDD, SDA, SCL. */
const LOWEST_ADS_ADDRESS = 0x48;
const HIGHEST_ADS_ADDRESS = 0x4b;

/** The location of an analog, parsed from its attributes. */
export interface AnalogLocation {
  readonly chip: AdcChipName;
  /** `/dev/spidev0.1`, or `/dev/i2c-1`. */
  readonly device: string;
  /** Only for an ADS1115. */
  readonly address: number | undefined;
  readonly channel: number;
}

/** A non-negative integer, decimal or `0x48`; undefined if the text is not one. */
function wholeNumber(text: string): number | undefined {
  return /^(\d{1,6}|0x[0-9a-f]{1,4})$/i.test(text) ? Number(text) : undefined;
}

/** The location of an analog. Only for valid attributes. */
export function placeOf(analog: LinuxAnalogAttributes): AnalogLocation {
  const { chip = linuxBoardDefaults.chip, pin, spi_bus: bus, chip_select: select } = analog;
  const channel = Number(pin);
  if (chip === 'ads1115') return { chip, device: `/dev/i2c-${Number(bus)}`, address: Number(select), channel };
  return { chip, device: `/dev/spidev${Number(bus)}.${Number(select)}`, address: undefined, channel };
}

/** The line or PWM channel of an entry of `pins`, with -1 and empty text ("none") removed. */
export function wiresOf(pin: LinuxPinAttributes): {
  readonly chip: string | undefined;
  readonly line: number | undefined;
  readonly pwmChip: string | undefined;
  readonly pwmChannel: number | undefined;
} {
  const text = (value: string | undefined) => (value === '' ? undefined : value);
  const number = (value: number | undefined) => (value === -1 ? undefined : value);
  return {
    chip: text(pin.device_name),
    line: number(pin.line_number),
    pwmChip: text(pin.pwm_chip_sysfs_dir),
    pwmChannel: number(pin.pwm_id),
  };
}

/** Samples per second of an analog. */
export function samplesPerSecondOf({ samples_per_sec: rate = 0 }: LinuxAnalogAttributes): number {
  return rate === 0 ? DEFAULT_LINUX_SAMPLES_PER_SEC : rate;
}

/** Rules for the linux board that its schema cannot express and that need no hardware. */
export function checkLinuxBoard(attributes: LinuxBoardAttributes): AttributeProblem[] {
  const { pins = [], analogs = [], digital_interrupts: interrupts = [] } = attributes;
  return [
    ...duplicates(pins, 'pins'),
    ...duplicates(analogs, 'analogs'),
    ...duplicates(interrupts, 'digital_interrupts'),
    ...checkPins(pins),
    ...checkAnalogs(analogs),
    ...checkInterrupts(interrupts, pins),
    ...simulatedMotorProblems(attributes.simulated_motors ?? []),
  ];
}

function duplicates(list: readonly { readonly name: string }[], key: string): AttributeProblem[] {
  const seen = new Set<string>();
  return list.flatMap(({ name }, index) => {
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    const message = `Two entries of "${key}" are named "${name}": rename one of them.`;
    return [attributeError(`/${key}/${index}/name`, 'attribute.duplicate', message)];
  });
}

/** Tracks who uses what: the first claim wins. */
class Owners {
  readonly #owners = new Map<string, string>();

  /** @returns who already uses it, if anyone */
  claim(what: string, who: string): string | undefined {
    const owner = this.#owners.get(what);
    if (owner === undefined) this.#owners.set(what, who);
    return owner;
  }
}

function checkPins(pins: readonly LinuxPinAttributes[]): AttributeProblem[] {
  const owners = new Owners();
  return pins.flatMap((pin, index) => {
    const pointer = `/pins/${index}`;
    const problems: AttributeProblem[] = [];
    const error = (key: string, code: string, message: string) =>
      problems.push(attributeError(`${pointer}/${key}`, code, message));
    const { chip, line, pwmChip, pwmChannel } = wiresOf(pin);
    if (chip !== undefined && line === undefined) {
      error('line_number', 'attribute.missing', `"device_name" is "${chip}", but "line_number" is missing: set both.`);
    }
    if (pin.pin !== undefined && line !== undefined) {
      error('pin', 'attribute.conflict', `"pin" is "${pin.pin}" and "line_number" is ${line}: remove one of them.`);
    }
    if (pin.pin !== undefined) {
      const owner = owners.claim(`pin ${pin.pin}`, pin.name);
      if (owner !== undefined) {
        error('pin', 'attribute.conflict', `Pin "${pin.pin}" has the name "${owner}" already: choose another.`);
      }
    }
    if ((pwmChip === undefined) !== (pwmChannel === undefined)) {
      const [found, missing] =
        pwmChip === undefined ? ['pwm_id', 'pwm_chip_sysfs_dir'] : ['pwm_chip_sysfs_dir', 'pwm_id'];
      error(missing, 'attribute.missing', `"${found}" is set, but "${missing}" is not: a PWM channel needs both.`);
    }
    if (line !== undefined) {
      const owner = owners.claim(`line ${chip ?? ''} ${line}`, pin.name);
      if (owner !== undefined) {
        const where = chip === undefined ? 'the chip of the board' : `"${chip}"`;
        error(
          'line_number',
          'attribute.conflict',
          `Line ${line} of ${where} is already pin "${owner}": choose another.`,
        );
      }
    }
    if (pwmChip !== undefined && pwmChannel !== undefined) {
      const owner = owners.claim(`pwm ${pwmChip} ${pwmChannel}`, pin.name);
      if (owner !== undefined) {
        const message = `Channel ${pwmChannel} of "${pwmChip}" already drives pin "${owner}": choose another.`;
        error('pwm_id', 'attribute.conflict', message);
      }
      problems.push(...pwmConflicts(pin, pointer));
    }
    return problems;
  });
}

/** A PWM channel that is off is low, and has no other drive options. */
function pwmConflicts(pin: LinuxPinAttributes, pointer: string): AttributeProblem[] {
  const reason = 'is not for a pin that a PWM chip drives: remove it, or remove "pwm_chip_sysfs_dir" and "pwm_id".';
  const found: (readonly [string, string])[] = [];
  if (pin.safe === 'high') found.push(['safe', `"safe" is "high", and a PWM chip that is off is low. High ${reason}`]);
  if (pin.active_low === true) found.push(['active_low', `"active_low" ${reason}`]);
  if (pin.drive !== undefined && pin.drive !== 'push-pull') found.push(['drive', `"drive" "${pin.drive}" ${reason}`]);
  return found.map(([key, message]) => attributeError(`${pointer}/${key}`, 'attribute.conflict', message));
}

function checkAnalogs(analogs: readonly LinuxAnalogAttributes[]): AttributeProblem[] {
  const channels = new Owners();
  const devices = new Map<string, { readonly chip: AdcChipName; readonly owner: string; rate: number }>();
  return analogs.flatMap((analog, index) => {
    const pointer = `/analogs/${index}`;
    const problems = [...placeProblems(analog, pointer)];
    if (problems.length > 0) return problems;
    const { chip, device, address, channel } = placeOf(analog);
    const where = address === undefined ? device : `${device} 0x${address.toString(16)}`;
    const known = devices.get(where) ?? { chip, owner: analog.name, rate: 0 };
    devices.set(where, known);
    if (known.chip !== chip) {
      const message = `"chip" is "${chip}", but analog "${known.owner}" says that the converter at ${where} is "${known.chip}": correct one of them.`;
      return [attributeError(`${pointer}/chip`, 'attribute.conflict', message)];
    }
    const owner = channels.claim(`${where} ${channel}`, analog.name);
    if (owner !== undefined) {
      const message = `Channel ${channel} of the converter at ${where} is already analog "${owner}": choose another.`;
      return [attributeError(`${pointer}/pin`, 'attribute.conflict', message)];
    }
    const rate = samplesPerSecondOf(analog);
    known.rate += rate;
    const { fastest } = converters[chip];
    if (known.rate > fastest && known.rate - rate <= fastest) {
      const message = `The analogs of the converter at ${where} take ${known.rate} samples a second together; at most ${fastest} are possible: lower "samples_per_sec".`;
      problems.push(attributeError(`${pointer}/samples_per_sec`, 'attribute.out_of_range', message));
    }
    if (((analog.average_over_ms ?? 0) * rate) / 1_000 < 2 && (analog.average_over_ms ?? 0) > 0) {
      const message = `"average_over_ms" is ${analog.average_over_ms}, within which only one sample is taken: nothing is averaged. Raise it or "samples_per_sec".`;
      problems.push(attributeWarning(`${pointer}/average_over_ms`, 'attribute.ignored', message));
    }
    return problems;
  });
}

function placeProblems(analog: LinuxAnalogAttributes, pointer: string): AttributeProblem[] {
  const { chip = linuxBoardDefaults.chip, pin, spi_bus: bus, chip_select: select } = analog;
  const problems: AttributeProblem[] = [];
  const error = (key: string, found: string, allowed: string) =>
    problems.push(attributeError(`${pointer}/${key}`, 'attribute.out_of_range', `"${key}" is "${found}"; ${allowed}.`));
  const { channels } = converters[chip];
  const channel = wholeNumber(pin);
  if (channel === undefined || channel >= channels) {
    error('pin', pin, `${chip} has the channels "0" to "${channels - 1}"`);
  }
  const isI2c = chip === 'ads1115';
  if (wholeNumber(bus) === undefined) {
    error('spi_bus', bus, `it takes the number of the ${isI2c ? 'I2C' : 'SPI'} bus, "0" for example`);
  }
  const selected = wholeNumber(select);
  if (isI2c) {
    if (selected === undefined || selected < LOWEST_ADS_ADDRESS || selected > HIGHEST_ADS_ADDRESS) {
      error('chip_select', select, 'of an ads1115 it is its address, "0x48" to "0x4b"');
    }
  } else if (selected === undefined || selected > 255) {
    error('chip_select', select, 'it takes the number of the chip select, "0" for example');
  }
  return problems;
}

function checkInterrupts(
  interrupts: readonly LinuxInterruptAttributes[],
  pins: readonly LinuxPinAttributes[],
): AttributeProblem[] {
  const owners = new Owners();
  return interrupts.flatMap(({ name, pin }, index) => {
    const pointer = `/digital_interrupts/${index}`;
    const problems: AttributeProblem[] = [];
    const owner = owners.claim(pin, name);
    if (owner !== undefined) {
      const message = `Pin "${pin}" is already digital interrupt "${owner}": choose another pin.`;
      problems.push(attributeError(`${pointer}/pin`, 'attribute.conflict', message));
    }
    if (name !== pin && pins.some((known) => known.name === name)) {
      const message = `"${name}" is a pin of "pins" too, and this interrupt is on another, "${pin}": rename one of them.`;
      problems.push(attributeError(`${pointer}/name`, 'attribute.conflict', message));
    }
    const known = pins.find((candidate) => candidate.name === pin);
    if (known !== undefined && wiresOf(known).pwmChip !== undefined) {
      const message = `Pin "${pin}" is driven by a PWM chip, which has no edges: choose another pin.`;
      problems.push(attributeError(`${pointer}/pin`, 'attribute.conflict', message));
    }
    return problems;
  });
}
