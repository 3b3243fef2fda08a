/** The value below which a share (0 to 1) of the values lies. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
}

/** Median, p99 and maximum, for one printed line. */
export function spread(values: readonly number[], unit = 'ms'): string {
  const figure = (value: number): string => value.toFixed(value < 10 ? 2 : 0);
  const [median, p99, most] = [quantile(values, 0.5), quantile(values, 0.99), Math.max(...values)].map(figure);
  return `median ${median} ${unit}, p99 ${p99} ${unit}, most ${most} ${unit} of ${values.length}`;
}

/** Prints the figures of a soak test: they are its result too, not only that it passed. */
export function tell(text: string): void {
  process.stdout.write(`soak: ${text}\n`);
}
