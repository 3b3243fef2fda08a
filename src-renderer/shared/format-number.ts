/** The language of the messages; numbers use it too, whatever the language of the browser. */
const language = 'en';
const formats = new Map<string, Intl.NumberFormat>();

function formatOf(least: number, most: number): Intl.NumberFormat {
  const key = `${least} ${most}`;
  let format = formats.get(key);
  if (format === undefined) {
    format = new Intl.NumberFormat(language, { minimumFractionDigits: least, maximumFractionDigits: most });
    formats.set(key, format);
  }
  return format;
}

/** Uses the minus sign that is as wide as a digit, and drops it from a zero. */
const signed = (text: string): string => (/[1-9]/.test(text) ? text.replace('-', '−') : text.replace('-', ''));

/** `18402.25` is `18,402.25`: as many decimals as it needs, at most `most`. */
export function formatNumber(value: number, most = 3): string {
  return signed(formatOf(0, most).format(value));
}

/** Decimals that a measured value needs: three, and more for a small one, down to a billionth. */
export function decimalsFor(value: number): number {
  const size = Math.abs(value);
  return size > 0 && size < 0.1 ? Math.min(2 - Math.floor(Math.log10(size)), 9) : 3;
}

/** `12.4` with 2 digits is `12.40`, so that a reading that changes keeps its width. */
export function formatFixed(value: number, digits: number): string {
  return signed(formatOf(digits, digits).format(value));
}

/** A number with its unit, joined by a no-break space: `40 ms`. Without a unit, only the number. */
export function withUnit(number: string, unit: string): string {
  return unit === '' ? number : `${number}\u00a0${unit}`;
}

const byteUnits = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** A size in decimal units, with two or three significant digits: `812 B`, `3.4 MB`, `128 MB`. */
export function formatBytes(bytes: number): string {
  let value = Math.max(bytes, 0);
  let unit = 0;
  // From 999.5 on it would be rounded to 1000.
  while (value >= 999.5 && unit < byteUnits.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return withUnit(unit > 0 && value < 99.95 ? formatFixed(value, 1) : formatNumber(value, 0), byteUnits[unit] ?? 'B');
}
