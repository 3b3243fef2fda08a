import { describe, expect, it } from 'vitest';
import { ModelResults } from '../../../../proto/gen/core/hub/v1/training.ts';
import { job } from '../jobs/job.fixture.ts';
import { bestRun, comparedMetrics, finalMetrics, type ComparedRun } from './compared-runs.ts';

const run = (last: Record<string, number>, kept?: Record<string, number>): ComparedRun => ({
  job: job(),
  epochs: [{ epoch: 1, of: 9, loss: 1, metrics: last }],
  results: kept && ModelResults.fromPartial({ metrics: kept }),
});

describe('compared runs', () => {
  it('have the metrics of their model, or else of the last epoch', () => {
    expect(finalMetrics(run({ f1: 0.2 }, { f1: 0.9 }))).toEqual({ f1: 0.9 });
    expect(finalMetrics(run({ f1: 0.2 }))).toEqual({ f1: 0.2 });
    expect(finalMetrics({ ...run({}), epochs: [] })).toEqual({});
  });

  it('have the most common metrics first, and a best run for each', () => {
    const runs = [run({ accuracy: 0.5, f1: 0.4 }), run({ f1: 0.6 }), run({ map_50: 1 })];
    expect(comparedMetrics(runs)).toEqual(['f1', 'accuracy', 'map_50']);
    expect(bestRun(runs, 'f1')).toBe(1);
    expect(bestRun([run({ f1: 1 }), run({ f1: 1 })], 'f1')).toBeUndefined();
    expect(bestRun(runs, 'mean_iou')).toBeUndefined();
  });
});
