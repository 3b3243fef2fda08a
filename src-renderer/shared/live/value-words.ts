import { decimalsFor, formatFixed, formatNumber, withUnit } from '../format-number.ts';
import type { Text } from '../text.ts';
import type { ResourceValues } from './live-values.ts';
import { unitOf } from './units.ts';

/** Name of a value for people. */
export function numberLabel(value: string, t: Text): string {
  const [, kind, name] = /^(reading|analog)\/(.*)$/.exec(value) ?? [];
  if (kind !== undefined && name !== undefined) return unitOf(name).name || name;
  return t(`live.names.${value as keyof typeof unitKeys}`);
}

/** Units of values; a position depends on its API. */
const unitKeys = {
  speed: 'rpm',
  power: 'ofOne',
  position: 'revolutions',
  volts: 'volts',
  amperes: 'amperes',
  watts: 'watts',
} as const;

/** The unit of a value for people; '' for none. */
export function unitWords(
  api: string,
  value: string,
  { isInDegrees }: Pick<ResourceValues, 'isInDegrees'>,
  t: Text,
): string {
  if (value.startsWith('reading/')) return unitOf(value.slice('reading/'.length)).unit;
  if (value.startsWith('analog/')) return '';
  if (value === 'position' && api === 'core:component:servo') return t('live.units.degrees');
  if (value === 'position' && api === 'core:component:encoder')
    return t(isInDegrees ? 'live.units.degrees' : 'live.units.ticks');
  return Object.hasOwn(unitKeys, value) ? t(`live.units.${unitKeys[value as keyof typeof unitKeys]}`) : '';
}

const digits: Readonly<Record<string, number>> = { speed: 0, power: 2, volts: 2, amperes: 3, watts: 2 };

/** A value with its unit; '' where it is not known. */
export function numberWords(api: string, value: string, values: ResourceValues, t: Text): string {
  const number = values.numbers.get(value);
  if (number === undefined) return '';
  const own = digits[value];
  const text =
    own !== undefined
      ? formatFixed(number, own)
      : value === 'position'
        ? formatFixed(number, api === 'core:component:encoder' && !values.isInDegrees ? 0 : 1)
        : formatNumber(number, Math.min(decimalsFor(number), 3));
  return withUnit(text, unitWords(api, value, values, t));
}
