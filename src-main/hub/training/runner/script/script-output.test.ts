import { describe, expect, it } from 'vitest';
import type { Epoch } from '../../jobs/training-jobs.ts';
import { ScriptOutput } from './script-output.ts';

describe('the output of a script', () => {
  it('is passed on: its log by stream, its epochs, and its reason of failure', () => {
    const received: unknown[] = [];
    const output = new ScriptOutput({
      log: (level, line) => received.push([level, line]),
      epoch: (epoch: Epoch) => received.push(epoch),
      state: () => undefined,
      stored: () => Promise.resolve(),
    });
    const failure = '@training {"failure": {"reason": "diverged", "message": "The loss became nan."}}';
    output.line('out', 'begun');
    output.line('err', failure);
    expect(output.failure).toBeUndefined();
    output.line('out', '@training {"progress": {"epoch": 1, "of": 2, "loss": 0.5, "metrics": {}}}');
    output.line('out', failure);
    expect(received).toEqual([['info', 'begun'], ['error', failure], { epoch: 1, of: 2, loss: 0.5, metrics: {} }]);
    expect(output.failure).toBe('The loss became nan.');
  });
});
