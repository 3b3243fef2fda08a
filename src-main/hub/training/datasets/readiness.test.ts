import { describe, expect, it } from 'vitest';
import type { DatasetCounts } from '../../../../proto/config/datasets/training-rules.ts';
import { requireReady, unmetRules } from './readiness.ts';

const tag = (label: string, pictures: number) => ({ label, pictures, boxes: 0 });
const enough: DatasetCounts = {
  ...{ pictures: 20, tagged: 16, severalTags: 0, boxed: 16, unlabelled: 4 },
  tags: [tag('a', 10), tag('b', 10), tag('c', 3)],
  boxes: [{ label: 'a', pictures: 8, boxes: 10 }],
};

describe('whether a dataset is ready for training', () => {
  it.each([
    ['singleLabel', ['a', 'b'], enough],
    ['multiLabel', ['a'], { ...enough, severalTags: 16 }],
    ['detection', ['a'], enough],
    ['detection', ['a'], { ...enough, pictures: 15, boxed: 12, tagged: 0, tags: [] }],
  ] as const)('it is: %s of %j', (task, labels, counts) => {
    expect(unmetRules(task, labels, counts)).toEqual([]);
  });

  it.each([
    [
      'singleLabel',
      ['a', 'b'],
      { ...enough, pictures: 0, tagged: 0, tags: [] },
      ['The dataset has no pictures: add some, and label them.'],
    ],
    [
      'singleLabel',
      ['a'],
      { ...enough, severalTags: 1 },
      [
        '15 of 20 pictures have one label, and at least 16 (80 %) have to: label 1 more.',
        '1 label is chosen, and a model that tells labels apart needs at least 2: choose another one.',
      ],
    ],
    ['multiLabel', [], enough, ['There is no label to learn: choose one, or label pictures first.']],
    [
      'multiLabel',
      ['a', 'c'],
      enough,
      ['3 of at least 10 pictures have the label "c": label 7 more, or leave it out.'],
    ],
    [
      'detection',
      ['a', 'b'],
      { ...enough, pictures: 14, boxed: 11 },
      [
        'The dataset has 14 of at least 15 pictures: add 1 more.',
        '11 of 14 pictures have boxes, and at least 12 (80 %) have to: label 1 more.',
        '0 of at least 10 boxes have the label "b": label 10 more, or leave it out.',
      ],
    ],
  ] as const)('every unmet rule is reported with its numbers: %s of %j', (task, labels, counts, messages) => {
    expect(unmetRules(task, labels, counts).map(({ message }) => message)).toEqual(messages);
    expect(() => requireReady(task, labels, counts)).toThrow(messages.join(' '));
  });
});
