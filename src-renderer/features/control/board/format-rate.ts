import { formatFixed } from '../../../shared/format-number.ts';

/** Formats a frequency: `3.2 kHz`, `320 Hz`, `1.4 Hz`. */
export function formatRate(hertz: number): string {
  const [value, unit] = Math.abs(hertz) >= 1_000 ? [hertz / 1_000, 'kHz'] : [hertz, 'Hz'];
  return `${formatFixed(value, Math.abs(value) >= 100 ? 0 : 1)} ${unit}`;
}
