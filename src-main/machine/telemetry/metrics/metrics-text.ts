import type { MachineFigures } from '../telemetry-options.ts';

/** Calls of one method since the start. */
export interface MethodFigures {
  readonly method: string;
  readonly calls: number;
  readonly failures: number;
  readonly meanMs: number;
  /** Half of the calls took no longer than this, to the next bound of the histogram. */
  readonly medianMs: number;
  /** The same of 99 in 100. */
  readonly highMs: number;
  readonly longestMs: number;
}

/** A line about the machine, then a table of methods; those that were called most come first. */
export function metricsText(now: Date, figures: MachineFigures, methods: readonly MethodFigures[]): string {
  const calls = methods.reduce((sum, one) => sum + one.calls, 0);
  const failures = methods.reduce((sum, one) => sum + one.failures, 0);
  const parts = [
    `${calls} calls, ${failures} failed, ${figures.inFlight} under way`,
    `sessions ${figures.sessions}`,
    `modules ${statesText(figures.modules)}`,
    `resources ${statesText(figures.resources)}`,
  ];
  const rows = methods.map(({ method, calls: count, failures: failed, meanMs, medianMs, highMs, longestMs }) => [
    method,
    String(count),
    String(failed),
    ...[meanMs, medianMs, highMs, longestMs].map(msText),
  ]);
  const lines =
    rows.length === 0 ? [] : table([['method', 'calls', 'failed', 'mean', 'p50', 'p99', 'longest'], ...rows]);
  return [`telemetry ${now.toISOString()}: ${parts.join('; ')}`, ...lines, ''].join('\n');
}

function statesText(states: ReadonlyMap<string, number>): string {
  if (states.size === 0) return '0';
  return [...states].map(([state, count]) => `${count} ${state}`).join(', ');
}

function msText(ms: number): string {
  return `${ms >= 100 ? Math.round(ms) : Number(ms.toPrecision(2))}ms`;
}

/** Words to the left, numbers to the right. */
function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows.map((row) => {
    const cells = row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
    );
    return `  ${cells.join('  ')}`;
  });
}
