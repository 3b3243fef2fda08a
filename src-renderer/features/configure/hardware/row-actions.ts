import type { Text } from '../../../shared/text.ts';
import type { JsonObject } from '../form/fields/form-field.ts';
import type { HardwareView } from '../../../shared/machine/hardware-view.ts';
import {
  freeChannel,
  withAnalog,
  withChip,
  withInterrupt,
  withPin,
  withPwmPin,
  type Addition,
} from './board-additions.ts';
import type { HardwareRow } from './hardware-rows.ts';
import type { NamedPlace } from './line-use.ts';

/** An action that a row offers. */
export interface RowAction {
  readonly kind: 'chip' | 'pin' | 'interrupt' | 'analog';
  /** The text on the button. */
  readonly label: string;
  /** Accessible name, which makes sense without the row. */
  readonly name: string;
  /** Adds to the attributes; undefined if the button leads to an existing entry. */
  readonly add: ((attributes: JsonObject) => Addition | undefined) | undefined;
  /** Path from the attributes to the existing entry. */
  readonly shows: readonly (string | number)[];
}

/** The actions of a row; none for unusable hardware, so that nobody configures what cannot start. */
export function rowActions(
  row: HardwareRow,
  hardware: HardwareView,
  attributes: JsonObject,
  t: Text,
): readonly RowAction[] {
  switch (row.kind) {
    case 'heading':
      return [];
    case 'chip': {
      if (!row.chip.isUsable || row.isOfBoard) return [];
      const name = t('hardware.take.chip', { chip: row.chip.path });
      return [adding('chip', t('hardware.do.chip'), name, (from) => withChip(from, hardware, row.chip))];
    }
    case 'line': {
      const { chip, line, use } = row;
      const what = t('hardware.lineOf', { line: line.offset, chip: chip.name });
      return [
        use.pin === undefined
          ? adding('pin', t('hardware.do.pin'), t('hardware.take.pin', { what }), (from) =>
              withPin(from, hardware, chip, line),
            )
          : showing('pin', 'pins', use.pin, t),
        use.interrupt === undefined
          ? adding('interrupt', t('hardware.do.interrupt'), t('hardware.take.interrupt', { what }), (from) =>
              withInterrupt(from, hardware, chip, line),
            )
          : showing('interrupt', 'digital_interrupts', use.interrupt, t),
      ];
    }
    case 'pwm': {
      const { chip } = row;
      if (!chip.isUsable || freeChannel(attributes, chip) === undefined) return [];
      const name = t('hardware.take.pwm', { chip: chip.path });
      return [adding('pin', t('hardware.do.pin'), name, (from) => withPwmPin(from, chip))];
    }
    case 'spi':
    case 'i2c': {
      const { device, kind } = row;
      if (!device.isUsable) return [];
      const name = t('hardware.take.analog', { device: device.path });
      return [adding('analog', t('hardware.do.analog'), name, (from) => withAnalog(from, device, kind))];
    }
  }
}

function adding(kind: RowAction['kind'], label: string, name: string, add: RowAction['add']): RowAction {
  return { kind, label, name, add, shows: [] };
}

function showing(kind: RowAction['kind'], list: string, { index, name }: NamedPlace, t: Text): RowAction {
  return { kind, label: name, name: t('hardware.show', { name }), add: undefined, shows: [list, index] };
}
