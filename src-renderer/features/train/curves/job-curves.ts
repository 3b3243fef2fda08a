import type { TrainingEpoch } from '../../../../proto/gen/core/hub/v1/training.ts';
import type { Curve } from './curve-path.ts';

/** Names of the metrics that epochs have, in the order in which they first appear. */
export function metricNames(epochs: readonly TrainingEpoch[]): readonly string[] {
  return [...new Set(epochs.flatMap(({ metrics }) => Object.keys(metrics)))];
}

export function lossCurve(epochs: readonly TrainingEpoch[], label: string): Curve {
  return { label, points: epochs.map(({ epoch, loss }) => ({ epoch, value: loss })) };
}

/** A metric over the epochs that have it. */
export function metricCurve(epochs: readonly TrainingEpoch[], metric: string, label: string): Curve {
  const points = epochs.flatMap(({ epoch, metrics }) => {
    const value = metrics[metric];
    return value === undefined ? [] : [{ epoch, value }];
  });
  return { label, points };
}
