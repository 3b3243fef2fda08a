import type { GetJobResponse, TrainingJob } from '../../../../proto/gen/core/hub/v1/training.ts';

/** One of the runs that are compared. */
export interface ComparedRun extends Pick<GetJobResponse, 'epochs' | 'results'> {
  readonly job: TrainingJob;
}

/** Names of the metrics that the models of the runs have, the most common first. */
export function comparedMetrics(runs: readonly ComparedRun[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const run of runs) {
    for (const name of Object.keys(finalMetrics(run))) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a).map(([name]) => name);
}

/** Metrics of the model of a run; without a model, those of its last epoch. */
export function finalMetrics({ results, epochs }: ComparedRun): Readonly<Record<string, number>> {
  return results?.metrics ?? epochs.at(-1)?.metrics ?? {};
}

/** Index of the run with the highest value of a metric; undefined if no run is ahead. */
export function bestRun(runs: readonly ComparedRun[], metric: string): number | undefined {
  const values = runs.map((run) => finalMetrics(run)[metric] ?? -Infinity);
  const most = Math.max(...values);
  const ahead = values.flatMap((value, index) => (value === most ? [index] : []));
  return most === -Infinity || ahead.length > 1 ? undefined : ahead[0];
}
