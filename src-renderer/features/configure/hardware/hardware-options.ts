import type { PickOption } from '../../../shared/components/popups/pick-options.ts';
import type { HardwareView, LineView } from '../../../shared/machine/hardware-view.ts';
import type { Text } from '../../../shared/text.ts';
import { shownAsText, type JsonObject } from '../form/fields/form-field.ts';
import { busOf, isPwmChip, stableName } from './board-additions.ts';
import type { HardwareInput } from './hardware-input.ts';
import { holderWords } from './hardware-rows.ts';
import { chipNamed, chipOfBoard, lineUses } from './line-use.ts';

/** The surroundings of a field: the object that it is in, and the attributes of the board. */
export interface FieldPlace {
  readonly beside: JsonObject;
  readonly attributes: JsonObject;
  /** The present value of the field. */
  readonly written: string;
}

/** Addresses that the ADDR pin of an ADS1115 chooses: at GND, VDD, SDA, SCL (Texas Instruments SBAS444, 9.5.1.1). */
const adsAddresses = [
  ['0x48', 'GND'],
  ['0x49', 'VDD'],
  ['0x4a', 'SDA'],
  ['0x4b', 'SCL'],
] as const;

/** The hardware to offer for a field. Includes what may not be opened now: it may be permitted at the next start. */
export function hardwareOptions(
  input: HardwareInput,
  hardware: HardwareView,
  place: FieldPlace,
  t: Text,
): readonly PickOption[] {
  const { beside, attributes, written } = place;
  switch (input) {
    case 'gpio-chip': {
      const meant = written === '' ? undefined : chipNamed(hardware.gpioChips, written);
      return hardware.gpioChips.map((chip) => {
        // Keeps the present spelling.
        const value = chip === meant ? written : stableName(hardware, chip);
        return {
          value,
          label: value,
          detail: t('hardware.option.lines', { name: chip.name, count: chip.lines.length }),
        };
      });
    }
    case 'gpio-line':
      return lineOptions(hardware, place, t);
    case 'pwm-chip':
      return hardware.pwmChips.map((chip) => {
        const value = isPwmChip(chip, written) ? written : chip.id;
        const name = chip.path.slice(chip.path.lastIndexOf('/') + 1);
        const key = chip.hasOneClock ? 'hardware.option.pwmChipOfOneClock' : 'hardware.option.pwmChip';
        return { value, label: value, detail: t(key, { name, count: chip.channels }) };
      });
    case 'pwm-channel': {
      const chip = hardware.pwmChips.find((one) => isPwmChip(one, shownAsText(beside['pwm_chip_sysfs_dir'])));
      return Array.from({ length: chip?.channels ?? 0 }, (_, channel) => plain(String(channel)));
    }
    case 'converter-bus': {
      const devices = beside['chip'] === 'ads1115' ? hardware.i2cBuses : hardware.spiDevices;
      const buses = new Map(devices.map((device) => [busOf(device).bus, device]));
      return [...buses].map(([bus, { path, label }]) => ({
        value: bus,
        label: bus,
        detail: label === '' ? path : label,
      }));
    }
    case 'converter-select': {
      if (beside['chip'] === 'ads1115') {
        return adsAddresses.map(([value, pin]) => ({
          value,
          label: value,
          detail: t('hardware.option.address', { pin }),
        }));
      }
      const bus = shownAsText(beside['spi_bus']);
      return hardware.spiDevices
        .map((device) => ({ ...busOf(device), path: device.path }))
        .filter((device) => bus === '' || device.bus === bus)
        .map(({ select, path }) => ({ value: select, label: select, detail: path }));
    }
  }
  function lineOptions(from: HardwareView, at: FieldPlace, text: Text): PickOption[] {
    const named = shownAsText(at.beside['device_name']);
    const chip = named === '' ? chipOfBoard(from, attributes) : chipNamed(from.gpioChips, named);
    return (chip?.lines ?? []).map((line) => {
      const value = String(line.offset);
      return { value, label: value, detail: lineWords(line, text) };
    });
  }
}

const plain = (value: string): PickOption => ({ value, label: value });

/** `GPIO17 · held by gpioset`. */
function lineWords(line: LineView, t: Text): string {
  const state = holderWords(line, t);
  return line.name === '' ? state : t('hardware.option.line', { name: line.name, state });
}

/**
 * Lines without an entry in `pins`, by the name to write for them: the name in the kernel if it is unique, else the pin
 * of the header.
 */
export function plainPins(hardware: HardwareView, attributes: unknown, t: Text): readonly PickOption[] {
  const own = chipOfBoard(hardware, attributes);
  const use = lineUses(hardware, attributes);
  const counts = new Map<string, number>();
  for (const { lines } of hardware.gpioChips) {
    for (const { name } of lines) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return hardware.gpioChips.flatMap((chip) =>
    chip.lines.flatMap((line): PickOption[] => {
      if (use(chip, line).pin !== undefined) return [];
      const { name, headerPin } = line;
      const pin = headerPin === '' ? '' : t('hardware.headerPin', { pin: headerPin });
      const detail = [pin, holderWords(line, t)].filter(Boolean).join(' · ');
      if (name !== '' && counts.get(name) === 1) return [{ value: name, label: name, detail }];
      return chip === own && pin !== '' ? [{ value: headerPin, label: headerPin, detail }] : [];
    }),
  );
}
