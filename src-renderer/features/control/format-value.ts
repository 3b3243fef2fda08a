import { formatAge } from '../../shared/timing/age.ts';

/** Made once: a formatter costs far more than what it formats. */
const formats = [0, 1, 2, 3].map(
  (digits) => new Intl.NumberFormat('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits }),
);

const limitFormat = new Intl.NumberFormat('en-US', { maximumFractionDigits: 3 });

/** A number with a fixed count of decimals (0 to 3), a real minus, and no minus before a zero. */
export function formatValue(value: number, digits: 0 | 1 | 2 | 3): string {
  const text = formats[digits]?.format(value) ?? String(value);
  return text.replace(/^-(?=[0.,]*$)/, '').replace('-', '−');
}

/** A limit of what may be typed, with the decimals it has. */
export function formatLimit(value: number): string {
  return limitFormat.format(value).replace('-', '−');
}

/** A whole count with its thousands set off. */
export function formatCount(value: number): string {
  return formatValue(value, 0);
}

/** An age as its number and its unit. */
export function ageParts(ageMs: number): readonly [string, string] {
  const [value = '', unit = ''] = formatAge(ageMs).split(' ');
  return [value, unit];
}
