import { describe, expect, it } from 'vitest';
import { PrepareJobResponse, TrainingProblemCode as Code } from '../../../../proto/gen/core/hub/v1/training.ts';
import { labelChoices, placedProblems } from './submit-form.ts';

const problem = (code: Code, message: string, label = '') => ({ code, message, label, found: 0, needed: 0 });

describe('a job before it is submitted', () => {
  it('shows each problem at the field where it can be solved', () => {
    const placed = placedProblems([
      problem(Code.VERSION_TAKEN, 'version 2 is there'),
      problem(Code.RARE_LABEL, 'nut: 3 pictures', 'nut'),
      problem(Code.LABELLED, '5 are labelled'),
      problem(Code.RUNNER, 'no Python'),
    ]);
    expect([placed.name, placed.version]).toEqual(['', 'version 2 is there']);
    expect([...placed.labels]).toEqual([['nut', 'nut: 3 pictures']]);
    expect(placed.others).toEqual(['5 are labelled', 'no Python']);
  });

  it('offers the labels of its task, and keeps chosen ones that no longer exist', () => {
    const prepared = PrepareJobResponse.fromPartial({
      labels: ['nut', 'cap'],
      counts: {
        pictures: 20,
        tags: [
          { label: 'VIAM_UNKNOWN', pictures: 4, boxes: 0 },
          { label: 'good', pictures: 9, boxes: 0 },
        ],
        boxes: [
          { label: 'nut', pictures: 5, boxes: 7 },
          { label: 'bolt', pictures: 9, boxes: 12 },
        ],
      },
    });
    expect(labelChoices('detection', prepared)).toEqual([
      { label: 'bolt', examples: 12 },
      { label: 'nut', examples: 7 },
      { label: 'cap', examples: 0 },
    ]);
    expect(labelChoices('multiLabel', prepared).map(({ label }) => label)).toEqual(['good', 'nut', 'cap']);
  });
});
