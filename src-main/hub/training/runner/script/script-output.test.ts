import { describe, expect, it } from 'vitest';
import type { Epoch } from '../../jobs/training-jobs.ts';
import { ScriptOutput } from './script-output.ts';

describe('what a script writes', () => {
  it('is handed on: its log by stream, its epochs, and why it ends', () => {
    const told: unknown[] = [];
    const output = new ScriptOutput({
      log: (level, line) => told.push([level, line]),
      epoch: (epoch: Epoch) => told.push(epoch),
      state: () => undefined,
      stored: () => Promise.resolve(),
    });
    const failure = '@training {"failure": {"reason": "diverged", "message": "The loss became nan."}}';
    output.line('out', 'begun');
    output.line('err', failure);
    expect(output.failure).toBeUndefined();
    output.line('out', '@training {"progress": {"epoch": 1, "of": 2, "loss": 0.5, "metrics": {}}}');
    output.line('out', failure);
    expect(told).toEqual([['info', 'begun'], ['error', failure], { epoch: 1, of: 2, loss: 0.5, metrics: {} }]);
    expect(output.failure).toBe('The loss became nan.');
  });
});
