import type { GpioChipView, HardwareView, LineView } from '../../../shared/machine/hardware-view.ts';
import { isObject, type JsonObject } from '../form/fields/form-field.ts';

/** The use of a line by a board in the draft. */
export interface LineUse {
  /** Its entry in `pins`; undefined if there is none. */
  readonly pin: NamedPlace | undefined;
  /** Its entry in `digital_interrupts`; undefined if there is none. */
  readonly interrupt: NamedPlace | undefined;
}

/** Index and name of an entry in a list of the attributes. */
export interface NamedPlace {
  readonly index: number;
  readonly name: string;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The objects in a list of the attributes, with their indexes; other items are left out. */
export function entriesOf(attributes: unknown, key: string): readonly (readonly [index: number, entry: JsonObject])[] {
  const list: unknown = isObject(attributes) ? attributes[key] : undefined;
  return Array.isArray(list)
    ? list.flatMap((entry: unknown, index) => (isObject(entry) ? [[index, entry] as const] : []))
    : [];
}

/** The chip that a text names: by path, name, stable id, or a unique label. */
export function chipNamed(chips: readonly GpioChipView[], written: string): GpioChipView | undefined {
  const exact = chips.find(({ path, name, id }) => [path, name, id].includes(written));
  const labelled = chips.filter(({ label }) => label !== '' && label === written);
  return exact ?? (labelled.length === 1 ? labelled[0] : undefined);
}

/** The chip that line numbers without a chip refer to: the board's chip, that of the header, or the only one. */
export function chipOfBoard(hardware: HardwareView, attributes: unknown): GpioChipView | undefined {
  const written = isObject(attributes) ? text(attributes['chip']) : '';
  if (written !== '') return chipNamed(hardware.gpioChips, written);
  const ofHeader = chipOfHeader(hardware, attributes);
  return ofHeader ?? (hardware.gpioChips.length === 1 ? hardware.gpioChips[0] : undefined);
}

/** The chip of the header; undefined if the board names another header than the computer has, or none. */
function chipOfHeader({ header, gpioChips }: HardwareView, attributes: unknown): GpioChipView | undefined {
  const written = isObject(attributes) ? text(attributes['header']) : '';
  if (header === undefined || (written !== '' && written !== header.name)) return undefined;
  return gpioChips.find(({ lines }) => lines.some(({ headerPin }) => headerPin !== ''));
}

const keyOf = (chip: GpioChipView, offset: number): string => `${chip.path} ${offset}`;

/** The use of each line of a computer by a board. */
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

/** The line that a plain name refers to, in the machine's order: a pin of the header, a kernel name, an offset. */
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
