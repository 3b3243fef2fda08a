/** The value below which this part, 0 to 1, of the values lies. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
}

/** Median, p99 and the largest, for one line of print. */
export function spread(values: readonly number[], unit = 'ms'): string {
  const figure = (value: number): string => value.toFixed(value < 10 ? 2 : 0);
  const [median, p99, most] = [quantile(values, 0.5), quantile(values, 0.99), Math.max(...values)].map(figure);
  return `median ${median} ${unit}, p99 ${p99} ${unit}, most ${most} ${unit} of ${values.length}`;
}

/** Prints what a soak test found out: its result is figures, not only that it passed. */
export function tell(text: string): void {
  process.stdout.write(`soak: ${text}\n`);
}
