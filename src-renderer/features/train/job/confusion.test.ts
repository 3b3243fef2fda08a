import { describe, expect, it } from 'vitest';
import { labelResults, mistakesOf, shareOf } from './confusion.ts';

const matrix = {
  label: '',
  names: ['bolt', 'nut', ''],
  rows: [{ counts: [8, 1, 1] }, { counts: [0, 4, 0] }, { counts: [3, 0, 0] }],
};

describe('a confusion matrix', () => {
  it('gives the most frequent mistakes first', () => {
    expect(mistakesOf(matrix)).toEqual([
      { truth: '', answer: 'bolt', count: 3, share: 1 },
      { truth: 'bolt', answer: 'nut', count: 1, share: 0.1 },
      { truth: 'bolt', answer: '', count: 1, share: 0.1 },
    ]);
  });

  it('gives the share of all cases with the true label', () => {
    expect([shareOf(matrix, 0, 0), shareOf(matrix, 1, 0), shareOf({ ...matrix, rows: [] }, 0, 0)]).toEqual([0.8, 0, 0]);
  });

  it('for each of several labels gives what was found, missed and wrongly found', () => {
    const dirty = { label: 'dirty', names: ['', 'dirty'], rows: [{ counts: [5, 2] }, { counts: [1, 7] }] };
    expect(labelResults([dirty])).toEqual([{ label: 'dirty', found: 7, missed: 1, wrong: 2 }]);
  });
});
