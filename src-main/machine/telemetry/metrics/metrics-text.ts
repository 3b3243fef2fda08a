import { textColumns } from '../../../base/text-columns.ts';
import type { MachineFigures } from '../telemetry-options.ts';

const HEAD = ['method', 'calls', 'failed', 'mean', 'p50', 'p99', 'longest'];

/** Calls of one method since the start. */
export interface MethodFigures {
  readonly method: string;
  readonly calls: number;
  readonly failures: number;
  readonly meanMs: number;
  /** Median duration, rounded up to a bound of the histogram. */
  readonly medianMs: number;
  /** The 99th percentile, likewise. */
  readonly highMs: number;
  readonly longestMs: number;
}

/** A line about the machine, then a table of methods, most called first. */
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
  const lines = rows.length === 0 ? [] : textColumns([HEAD, ...rows], { isNumber: (column) => column > 0 });
  return [`telemetry ${now.toISOString()}: ${parts.join('; ')}`, ...lines, ''].join('\n');
}

function statesText(states: ReadonlyMap<string, number>): string {
  if (states.size === 0) return '0';
  return [...states].map(([state, count]) => `${count} ${state}`).join(', ');
}

function msText(ms: number): string {
  return `${ms >= 100 ? Math.round(ms) : Number(ms.toPrecision(2))}ms`;
}
