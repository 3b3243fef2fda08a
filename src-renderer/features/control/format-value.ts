import { formatAge } from '../../shared/timing/age.ts';

/** A number with a fixed count of decimals, a real minus, and no minus before a zero. */
export function formatValue(value: number, digits: number): string {
  const text = value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return text.replace(/^-(?=[0.,]*$)/, '').replace('-', '−');
}

/** An age as its number and its unit. */
export function ageParts(ageMs: number): readonly [string, string] {
  const [value = '', unit = ''] = formatAge(ageMs).split(' ');
  return [value, unit];
}
