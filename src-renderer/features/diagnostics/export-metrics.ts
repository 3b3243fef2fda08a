import type { DiagnosticsCalls } from '../../shared/machine/machine.ts';
import type { TimeWindow } from '../../shared/plot/time-window.ts';

/** The most values that the machine gives in one answer. */
const MAX_VALUES = 60_000;
const sampleMs = 1_000;

export interface ExportedMetrics {
  readonly text: string;
  readonly rows: number;
}

/**
 * Exports metrics as a CSV table: one row per second, without the seconds in which nothing was recorded. Counters are
 * given as rates. Reads in several calls.
 * @param onProgress gets the share that has been read, 0 to 1
 */
export async function exportMetrics(
  calls: Pick<DiagnosticsCalls, 'query'>,
  metrics: readonly string[],
  { from, to }: TimeWindow,
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<ExportedMetrics> {
  const units = new Map<string, string>();
  const lines: string[] = [];
  const begin = Math.floor(from / sampleMs) * sampleMs;
  const atOnce = Math.floor(MAX_VALUES / Math.max(1, metrics.length));
  for (let at = begin; at < to; at += atOnce * sampleMs) {
    const count = Math.min(atOnce, Math.ceil((to - at) / sampleMs));
    const { series } = await calls.query(metrics, { from: at, to: at + count * sampleMs }, count, signal);
    signal.throwIfAborted();
    const found = new Map(series.map((one) => [one.metric?.name ?? '', one.average]));
    for (const { metric } of series) if (metric !== undefined) units.set(metric.name, metric.unit);
    for (let index = 0; index < count; index++) {
      const values = metrics.map((name) => found.get(name)?.[index] ?? Number.NaN);
      if (values.every((value) => Number.isNaN(value))) continue;
      const cells = values.map((value) => (Number.isNaN(value) ? '' : String(value)));
      lines.push([new Date(at + index * sampleMs).toISOString(), ...cells].join(','));
    }
    onProgress(Math.min(1, (at + count * sampleMs - begin) / (to - begin)));
  }
  const columns = metrics.map((name) => cell(units.get(name) ? `${name} (${units.get(name) ?? ''})` : name));
  return { text: `${[['time', ...columns].join(','), ...lines].join('\n')}\n`, rows: lines.length };
}

function cell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
