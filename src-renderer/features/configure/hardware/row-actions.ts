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

/** What a person can do with a row. */
export interface RowAction {
  readonly kind: 'chip' | 'pin' | 'interrupt' | 'analog';
  /** On the button. */
  readonly label: string;
  /** For who does not see the row around it. */
  readonly name: string;
  /** Changes the draft; undefined where the button leads to what is there already. */
  readonly add: ((attributes: JsonObject) => Addition | undefined) | undefined;
  /** Steps from the attributes to what is there already. */
  readonly shows: readonly (string | number)[];
}

/** None where it cannot be used, so that nobody configures what will not start. */
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
