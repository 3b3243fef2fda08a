/** `3.2 kHz`, `320 Hz`, `1.4 Hz`: how often something happens. */
export function formatRate(hertz: number): string {
  const size = Math.abs(hertz);
  const [value, unit] = size >= 1_000 ? [hertz / 1_000, 'kHz'] : [hertz, 'Hz'];
  return `${value.toLocaleString('en-US', { maximumFractionDigits: Math.abs(value) >= 100 ? 0 : 1 })} ${unit}`;
}
