import type {
  DeviceView,
  GpioChipView,
  HardwareView,
  LineView,
  PwmChipView,
} from '../../../shared/machine/hardware-view.ts';
import type { JsonObject } from '../form/fields/form-field.ts';
import { entriesOf, lineUses, type NamedPlace } from './line-use.ts';

/** The attributes of a board with something added to them. */
export interface Addition {
  readonly attributes: JsonObject;
  /** What was added, as the board names it. */
  readonly name: string;
}

/** `SIM3`, else `SIM3-2`, where that is taken: the names of pins and of interrupts are told apart by nobody. */
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
 * What to write for a chip so that it is found again. The path may be another chip's after the next boot. The label is
 * what people know, and stays on another computer of the kind; of two with one label, and of an adapter that may be
 * plugged in twice, only the place where it is attached tells which one it is.
 */
export function stableName({ gpioChips }: HardwareView, { label, id }: GpioChipView): string {
  const isAlone = gpioChips.filter((chip) => chip.label === label).length === 1;
  return label !== '' && isAlone && !/\/usb\d/.test(id) ? label : id;
}

export function withChip(attributes: JsonObject, hardware: HardwareView, chip: GpioChipView): Addition {
  const name = stableName(hardware, chip);
  return { attributes: { ...attributes, chip: name }, name };
}

/** A pin for a line, by chip and number: a line's name in the kernel need not be the only one. */
export function withPin(attributes: JsonObject, hardware: HardwareView, chip: GpioChipView, line: LineView): Addition {
  const name = freeName(attributes, line.name === '' ? `line-${line.offset}` : line.name);
  const entry = { name, device_name: stableName(hardware, chip), line_number: line.offset };
  return { attributes: appended(attributes, 'pins', entry), name };
}

/** An interrupt on a line, and the pin that it is on where the board has none for it. */
export function withInterrupt(
  attributes: JsonObject,
  hardware: HardwareView,
  chip: GpioChipView,
  line: LineView,
): Addition {
  const pin: NamedPlace | undefined = lineUses(hardware, attributes)(chip, line).pin;
  const base = pin === undefined ? withPin(attributes, hardware, chip, line) : { attributes, name: pin.name };
  const isTaken = entriesOf(attributes, 'digital_interrupts').some(([, { name }]) => name === base.name);
  // An interrupt may have the name of its own pin.
  const name = isTaken ? freeName(base.attributes, base.name) : base.name;
  return { attributes: appended(base.attributes, 'digital_interrupts', { name, pin: base.name }), name };
}

/** A pin that a channel of hardware drives: the first channel that no other pin has. */
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

/** Path or name of a pwmchip, the name of its device, or part of the path of that; as the board takes it. */
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

/** Of the four that the address pin of an ADS1115 chooses, the one it has when that pin is at ground. */
const adsAddress = '0x48';

/** The next channel of a converter behind an SPI device, or on an I2C bus: which chip it is the person says. */
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
