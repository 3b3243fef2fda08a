import type {
  DeviceView,
  GpioChipView,
  HardwareView,
  LineView,
  PwmChipView,
} from '../../../shared/machine/hardware-view.ts';
import type { JsonObject } from '../form/fields/form-field.ts';
import { entriesOf, lineUses, type NamedPlace } from './line-use.ts';

/** The attributes of a board with an addition. */
export interface Addition {
  readonly attributes: JsonObject;
  /** Name of the addition on the board. */
  readonly name: string;
}

/** `SIM3`, or `SIM3-2` if that is taken: pins, analogs and interrupts share their names. */
function freeName(attributes: JsonObject, wanted: string): string {
  const taken = new Set(
    ['pins', 'analogs', 'digital_interrupts'].flatMap((key) => entriesOf(attributes, key).map(([, { name }]) => name)),
  );
  let name = wanted;
  for (let number = 2; taken.has(name); number += 1) name = `${wanted}-${number}`;
  return name;
}

function appended(attributes: JsonObject, key: string, entry: JsonObject): JsonObject {
  const list: unknown = attributes[key];
  return { ...attributes, [key]: [...(Array.isArray(list) ? (list as unknown[]) : []), entry] };
}

/**
 * The name to write for a chip, so that it is found again. Its path may belong to another chip after the next boot. The
 * label is familiar, and the same on other computers of the kind. For two chips with the same label, and for an adapter
 * that may be plugged in twice, only the id (where it is attached) is unique.
 */
export function stableName({ gpioChips }: HardwareView, { label, id }: GpioChipView): string {
  const isAlone = gpioChips.filter((chip) => chip.label === label).length === 1;
  return label !== '' && isAlone && !/\/usb\d/.test(id) ? label : id;
}

export function withChip(attributes: JsonObject, hardware: HardwareView, chip: GpioChipView): Addition {
  const name = stableName(hardware, chip);
  return { attributes: { ...attributes, chip: name }, name };
}

/** Adds a pin for a line, by chip and number, because a line's name in the kernel may not be unique. */
export function withPin(attributes: JsonObject, hardware: HardwareView, chip: GpioChipView, line: LineView): Addition {
  const name = freeName(attributes, line.name === '' ? `line-${line.offset}` : line.name);
  const entry = { name, device_name: stableName(hardware, chip), line_number: line.offset };
  return { attributes: appended(attributes, 'pins', entry), name };
}

/** Adds an interrupt on a line, and a pin for the line if the board has none. */
export function withInterrupt(
  attributes: JsonObject,
  hardware: HardwareView,
  chip: GpioChipView,
  line: LineView,
): Addition {
  const pin: NamedPlace | undefined = lineUses(hardware, attributes)(chip, line).pin;
  const base = pin === undefined ? withPin(attributes, hardware, chip, line) : { attributes, name: pin.name };
  const isTaken = entriesOf(attributes, 'digital_interrupts').some(([, { name }]) => name === base.name);
  // An interrupt may have the same name as its own pin.
  const name = isTaken ? freeName(base.attributes, base.name) : base.name;
  return { attributes: appended(base.attributes, 'digital_interrupts', { name, pin: base.name }), name };
}

/** Adds a pin for a hardware PWM channel: the first channel that no pin has; undefined if there is none. */
export function withPwmPin(attributes: JsonObject, chip: PwmChipView): Addition | undefined {
  const channel = freeChannel(attributes, chip);
  if (channel === undefined) return undefined;
  const name = freeName(attributes, `pwm-${channel}`);
  const entry = { name, pwm_chip_sysfs_dir: chip.id, pwm_id: channel };
  return { attributes: appended(attributes, 'pins', entry), name };
}

export function freeChannel(attributes: unknown, chip: PwmChipView): number | undefined {
  const taken = new Set(
    entriesOf(attributes, 'pins')
      .filter(([, { pwm_chip_sysfs_dir: written }]) => typeof written === 'string' && isPwmChip(chip, written))
      .map(([, { pwm_id: channel }]) => channel),
  );
  return Array.from({ length: chip.channels }, (_, channel) => channel).find((channel) => !taken.has(channel));
}

/** Whether a text names a PWM chip: by path, name, device name, or part of the device's path; as the board reads it. */
export function isPwmChip({ path, id, name }: PwmChipView, written: string): boolean {
  if (written === '') return false;
  const names = [path, path.slice(path.lastIndexOf('/') + 1), name];
  return names.includes(written) || name === `${written}-pwm` || id.includes(written);
}

/** Bus and chip select of `/dev/spidev0.1`; the bus of `/dev/i2c-1`. */
export function busOf({ path }: DeviceView): { readonly bus: string; readonly select: string } {
  const [, bus = '', select = ''] = /(\d+)(?:\.(\d+))?$/.exec(path) ?? [];
  return { bus, select };
}

/** Address of an ADS1115 whose address pin is at ground. */
const adsAddress = '0x48';

/** Adds the next channel of a converter on an SPI device or an I2C bus; the person sets the chip. */
export function withAnalog(attributes: JsonObject, device: DeviceView, kind: 'spi' | 'i2c'): Addition {
  const { bus, select } = busOf(device);
  const chip = kind === 'i2c' ? { chip: 'ads1115' } : {};
  const place = { spi_bus: bus, chip_select: kind === 'i2c' ? adsAddress : select };
  const taken = entriesOf(attributes, 'analogs')
    .map(([, entry]) => entry)
    .filter((entry) => entry['spi_bus'] === bus && entry['chip_select'] === place.chip_select)
    .filter((entry) => (entry['chip'] === 'ads1115') === (kind === 'i2c'));
  let channel = 0;
  while (taken.some(({ pin }) => pin === String(channel))) channel += 1;
  const known = taken[0]?.['chip'];
  const own = typeof known === 'string' ? { chip: known } : chip;
  const name = freeName(attributes, `analog-${channel}`);
  return { attributes: appended(attributes, 'analogs', { name, ...own, pin: String(channel), ...place }), name };
}
