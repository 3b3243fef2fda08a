import type { GpioChipView, HardwareView, LineView } from '../../../shared/machine/hardware-view.ts';
import { isObject, type JsonObject } from '../form/fields/form-field.ts';

/** What the draft of a board has on a line. */
export interface LineUse {
  /** Of the entry of `pins`; undefined where there is none. */
  readonly pin: NamedPlace | undefined;
  /** Of the entry of `digital_interrupts`. */
  readonly interrupt: NamedPlace | undefined;
}

/** An entry of a list of the attributes: where, and its name. */
export interface NamedPlace {
  readonly index: number;
  readonly name: string;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The objects of a list of the attributes, with their places: what else is in the list is left out. */
export function entriesOf(attributes: unknown, key: string): readonly (readonly [index: number, entry: JsonObject])[] {
  const list: unknown = isObject(attributes) ? attributes[key] : undefined;
  return Array.isArray(list)
    ? list.flatMap((entry: unknown, index) => (isObject(entry) ? [[index, entry] as const] : []))
    : [];
}

/** The chip that a text means: path, name, stable id, or the label where one chip has it. */
export function chipNamed(chips: readonly GpioChipView[], written: string): GpioChipView | undefined {
  const exact = chips.find(({ path, name, id }) => [path, name, id].includes(written));
  const labelled = chips.filter(({ label }) => label !== '' && label === written);
  return exact ?? (labelled.length === 1 ? labelled[0] : undefined);
}

/** The chip that plain line numbers of a board mean: the named one, that of the header, else the only one. */
export function chipOfBoard(hardware: HardwareView, attributes: unknown): GpioChipView | undefined {
  const written = isObject(attributes) ? text(attributes['chip']) : '';
  if (written !== '') return chipNamed(hardware.gpioChips, written);
  const ofHeader = chipOfHeader(hardware, attributes);
  return ofHeader ?? (hardware.gpioChips.length === 1 ? hardware.gpioChips[0] : undefined);
}

/** Undefined also for a board that has another header than the computer, or says that it has none. */
function chipOfHeader({ header, gpioChips }: HardwareView, attributes: unknown): GpioChipView | undefined {
  const written = isObject(attributes) ? text(attributes['header']) : '';
  if (header === undefined || (written !== '' && written !== header.name)) return undefined;
  return gpioChips.find(({ lines }) => lines.some(({ headerPin }) => headerPin !== ''));
}

const keyOf = (chip: GpioChipView, offset: number): string => `${chip.path} ${offset}`;

/** What the draft has on each line of a computer. */
export function lineUses(hardware: HardwareView, attributes: unknown): (chip: GpioChipView, line: LineView) => LineUse {
  const own = chipOfBoard(hardware, attributes);
  const uses = new Map<string, LineUse>();
  const none: LineUse = { pin: undefined, interrupt: undefined };
  const put = (key: string | undefined, use: Partial<LineUse>): void => {
    if (key !== undefined) uses.set(key, { ...(uses.get(key) ?? none), ...use });
  };
  const pins = new Map<string, string>();
  for (const [index, entry] of entriesOf(attributes, 'pins')) {
    const name = text(entry['name']);
    const offset = entry['line_number'];
    const chip = text(entry['device_name']) === '' ? own : chipNamed(hardware.gpioChips, text(entry['device_name']));
    const isNumbered = typeof offset === 'number' && offset >= 0;
    const key = isNumbered ? chip && keyOf(chip, offset) : keyOfName(hardware, attributes, name);
    if (key === undefined) continue;
    put(key, { pin: { index, name } });
    pins.set(name, key);
  }
  for (const [index, entry] of entriesOf(attributes, 'digital_interrupts')) {
    const pin = text(entry['pin']);
    put(pins.get(pin) ?? keyOfName(hardware, attributes, pin), { interrupt: { index, name: text(entry['name']) } });
  }
  return (chip, line) => uses.get(keyOf(chip, line.offset)) ?? none;
}

/** What a plain name means, in the order of the machine: a pin of the header, a name in the kernel, an offset. */
function keyOfName(hardware: HardwareView, attributes: unknown, name: string): string | undefined {
  if (name === '') return undefined;
  const own = chipOfBoard(hardware, attributes);
  const onHeader = chipOfHeader(hardware, attributes)?.lines.find(({ headerPin }) => headerPin === name);
  if (onHeader !== undefined) return own && keyOf(own, onHeader.offset);
  const places = hardware.gpioChips.flatMap((chip) =>
    chip.lines.filter((line) => line.name === name).map(({ offset }) => ({ chip, offset })),
  );
  const found = places.find(({ chip }) => chip === own) ?? (places.length === 1 ? places[0] : undefined);
  if (found !== undefined) return keyOf(found.chip, found.offset);
  return own !== undefined && /^\d+$/.test(name) ? keyOf(own, Number(name)) : undefined;
}
