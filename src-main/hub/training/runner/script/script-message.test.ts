import { describe, expect, it } from 'vitest';
import { scriptMessage } from './script-message.ts';

describe('a message from a script', () => {
  it('has an epoch with finite numbers, or the reason of a failure', () => {
    const progress = { epoch: 2, of: 60, loss: 0.5, metrics: { f1: 0.25, note: 'x', other: null } };
    expect(scriptMessage(`@training ${JSON.stringify({ progress })}`)).toEqual({
      kind: 'progress',
      epoch: { epoch: 2, of: 60, loss: 0.5, metrics: { f1: 0.25 } },
    });
    expect(scriptMessage('@training {"failure": {"reason": "diverged", "message": "The loss became nan."}}')).toEqual({
      kind: 'failure',
      message: 'The loss became nan.',
    });
  });

  it.each([
    'epoch 1 of 60',
    ' @training {"progress": {"epoch": 1, "of": 2, "loss": 1}}',
    '@training',
    '@training {',
    '@training null',
    '@training []',
    '@training {"progress": {"epoch": 1, "of": 2, "loss": NaN}}',
    '@training {"progress": {"epoch": -1, "of": 2, "loss": 1}}',
    '@training {"progress": {"epoch": 1.5, "of": 2, "loss": 1}}',
    '@training {"failure": {"message": 7}}',
  ])('is not in the line %j', (line) => {
    expect(scriptMessage(line)).toBeUndefined();
  });
});
