import { describe, expect, it } from 'vitest';
import { ModelType } from '../../../../proto/gen/core/app/mltraining/v1/ml_training.ts';
import type { DatasetSummary } from './dataset-source.ts';
import { missingFor, requireReady } from './readiness.ts';

const enough: DatasetSummary = {
  organizationId: 'o',
  pictures: 20,
  classified: 16,
  boxed: 16,
  classes: new Map([
    ['a', 10],
    ['b', 10],
  ]),
  boxes: new Map([['a', 10]]),
};
const { SINGLE_LABEL_CLASSIFICATION: SINGLE, OBJECT_DETECTION: DETECTION } = ModelType;

describe('whether a dataset is ready for training', () => {
  it.each([
    [SINGLE, ['a', 'b'], enough],
    [DETECTION, ['a'], enough],
    [SINGLE, ['a'], { ...enough, pictures: 12, classified: 10, boxed: 0 }],
    [DETECTION, ['a'], { ...enough, pictures: 15, boxed: 12, classified: 0 }],
  ])('it is: type %i, %j', (type, tags, summary) => {
    expect(missingFor(type, tags, summary)).toEqual([]);
  });

  it.each([
    [SINGLE, [], { ...enough, pictures: 0 }, ['it has no pictures']],
    [SINGLE, ['a'], { ...enough, classified: 15 }, ['15 of 20 pictures have a label, and at least 16 (80 %) have to']],
    [DETECTION, ['a', 'b'], enough, ['0 of at least 10 boxes have the label "b"']],
    [
      DETECTION,
      ['a'],
      { ...enough, pictures: 14, boxed: 11, boxes: new Map([['a', 9]]) },
      [
        'it has 14 of at least 15 pictures',
        '11 of 14 pictures have boxes, and at least 12 (80 %) have to',
        '9 of at least 10 boxes have the label "a"',
      ],
    ],
  ])('every number that is missing is said: type %i, %j', (type, tags, summary, missing) => {
    expect(missingFor(type, tags, summary)).toEqual(missing);
    expect(() => requireReady(type, tags, summary)).toThrow(missing.join('; '));
  });
});
