import type { Text } from '../../../shared/text.ts';
import type {
  DeviceView,
  GpioChipView,
  HardwareView,
  LineView,
  PwmChipView,
} from '../../../shared/machine/hardware-view.ts';
import { chipOfBoard, lineUses, type LineUse } from './line-use.ts';

/** A row of the hardware list. */
export type HardwareRow =
  | { readonly kind: 'heading'; readonly key: string; readonly text: string }
  | { readonly kind: 'chip'; readonly key: string; readonly chip: GpioChipView; readonly isOfBoard: boolean }
  | {
      readonly kind: 'line';
      readonly key: string;
      readonly chip: GpioChipView;
      readonly line: LineView;
      readonly use: LineUse;
    }
  | { readonly kind: 'pwm'; readonly key: string; readonly chip: PwmChipView }
  | { readonly kind: 'spi' | 'i2c'; readonly key: string; readonly device: DeviceView };

/** All hardware in order of chips and lines, or only the rows that match all words of a filter. */
export function hardwareRows(hardware: HardwareView, attributes: unknown, filter: string, t: Text): HardwareRow[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = (...texts: readonly (string | number)[]): boolean => {
    const text = texts.join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const use = lineUses(hardware, attributes);
  const own = chipOfBoard(hardware, attributes);
  const chips = hardware.gpioChips.flatMap((chip): HardwareRow[] => {
    const of = [chip.path, chip.label, chip.id];
    const lines = chip.lines.flatMap((line): HardwareRow[] => {
      const { pin, interrupt } = use(chip, line);
      const headerPin = line.headerPin === '' ? '' : t('hardware.headerPin', { pin: line.headerPin });
      const isFound = matches(
        headerPin,
        ...of,
        line.offset,
        line.name,
        holderWords(line, t),
        pin?.name ?? '',
        interrupt?.name ?? '',
      );
      if (!isFound) return [];
      return [{ kind: 'line', key: `${chip.path} ${line.offset}`, chip, line, use: { pin, interrupt } }];
    });
    if (lines.length === 0 && !matches(...of)) return [];
    return [{ kind: 'chip', key: chip.path, chip, isOfBoard: chip === own }, ...lines];
  });
  const pwms = hardware.pwmChips
    .filter(({ path, id }) => matches(path, id, 'pwm'))
    .map((chip): HardwareRow => ({ kind: 'pwm', key: chip.path, chip }));
  const devices = (kind: 'spi' | 'i2c', list: readonly DeviceView[]): HardwareRow[] =>
    list.filter(({ path, label }) => matches(path, label, kind)).map((device) => ({ kind, key: device.path, device }));
  return [
    ...chips,
    ...headed('pwm', t('hardware.areas.pwm'), pwms),
    ...headed('spi', t('hardware.areas.spi'), devices('spi', hardware.spiDevices)),
    ...headed('i2c', t('hardware.areas.i2c'), devices('i2c', hardware.i2cBuses)),
  ];
}

function headed(area: string, text: string, rows: readonly HardwareRow[]): HardwareRow[] {
  return rows.length === 0 ? [] : [{ kind: 'heading', key: `heading ${area}`, text }, ...rows];
}

/** `free`, `held by gpioset`, `held by the kernel`. */
export function holderWords({ isUsed, holder }: LineView, t: Text): string {
  if (!isUsed) return t('hardware.free');
  return holder === '' ? t('hardware.heldByKernel') : t('hardware.heldBy', { holder });
}

/** The hardware of a computer in one line: `2 GPIO chips with 64 lines, 4 in use`. */
export function hardwareSummary({ gpioChips, limits }: HardwareView, t: Text): string {
  if (gpioChips.length === 0) return t('hardware.noGpio');
  const lines = gpioChips.flatMap((chip) => chip.lines);
  const parts = [
    t('hardware.chips', { count: gpioChips.length }),
    t('hardware.lines', { count: lines.length }),
    t('hardware.held', { held: lines.filter(({ isUsed }) => isUsed).length }),
  ];
  if (limits !== undefined) parts.push(t('hardware.softwarePwm', { hz: limits.pwmHz }));
  return parts.join(' · ');
}
