import { describe, expect, it } from 'vitest';
import { readResults } from './model-card.ts';

const card = {
  labels: ['bad', 'good'],
  metrics: { accuracy: 0.9, f1: 0.8, text: 'x', odd: null },
  confusion_matrix: [
    [4, 1],
    [0, 5],
  ],
  worst_examples: [
    { path: 'data/7.jpg', binary_data_id: 'b7', loss: 2.5, is_validation: true },
    { path: 'data/8.jpg', loss: 1 },
    { path: 8, loss: 1 },
    { path: 'data/9.jpg', loss: 'much' },
  ],
  best_epoch: 12,
  pictures: { training: 40, validation: 10 },
  seed: 0,
  framework: 'PyTorch 2.1.0, Python 3.11.2',
};

describe('a model card', () => {
  it('is read in the format of the hub’s scripts, without invalid values', () => {
    expect(readResults(card)).toEqual({
      labels: ['bad', 'good'],
      metrics: { accuracy: 0.9, f1: 0.8 },
      confusion: [{ label: '', names: ['bad', 'good'], rows: card.confusion_matrix }],
      worstPictures: [
        { path: 'data/7.jpg', binaryDataId: 'b7', loss: 2.5, isValidation: true },
        { path: 'data/8.jpg', binaryDataId: '', loss: 1, isValidation: false },
      ],
      ...{ bestEpoch: 12, trainingPictures: 40, validationPictures: 10, seed: 0, framework: card.framework },
    });
  });

  it('has background at the end if its matrix has one row more than there are labels', () => {
    const rows = [
      [1, 0, 2],
      [0, 3, 0],
      [1, 1, 0],
    ];
    const { confusion } = readResults({ ...card, confusion_matrix: rows });
    expect(confusion).toEqual([{ label: '', names: ['bad', 'good', ''], rows }]);
  });

  it('has a matrix for each label if a picture may have several labels', () => {
    const [bad, good] = [
      [
        [3, 1],
        [0, 6],
      ],
      [
        [2, 2],
        [2, 4],
      ],
    ];
    expect(readResults({ ...card, confusion_matrix: [bad, good] }).confusion).toEqual([
      { label: 'bad', names: ['', 'bad'], rows: bad },
      { label: 'good', names: ['', 'good'], rows: good },
    ]);
  });

  it.each([
    [{}],
    [{ confusion_matrix: [[1, 2]] }],
    [{ confusion_matrix: [[1], [2]], labels: ['a', 'b'] }],
    [
      {
        confusion_matrix: [
          [1, -1],
          [0, 0.5],
        ],
        labels: ['a', 'b'],
      },
    ],
    [{ confusion_matrix: 'x', metrics: [], worst_examples: {}, seed: 'x', pictures: 3, best_epoch: -1 }],
    [
      {
        confusion_matrix: [
          [1, 2],
          [3, 4],
        ],
        labels: ['a', 'b', 'c', 'd'],
      },
    ],
  ])('has no matrix, pictures or figures of %j', (odd) => {
    const { labels } = readResults(odd);
    expect(readResults(odd)).toEqual({
      ...{ labels, metrics: {}, confusion: [], worstPictures: [], bestEpoch: 0 },
      ...{ trainingPictures: 0, validationPictures: 0, seed: undefined, framework: '' },
    });
  });
});
