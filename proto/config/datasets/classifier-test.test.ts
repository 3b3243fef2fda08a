import { describe, expect, it } from 'vitest';
import { answersThatCount, isTestable, verdictOf } from './classifier-test.ts';

const said = [
  { label: 'nut', confidence: 0.7 },
  { label: 'bolt', confidence: 0.5 },
  { label: 'washer', confidence: 0.1 },
];

describe('a test of a classifier', () => {
  it('is refused for models of 19 September 2023 and before, to the last millisecond of that day in UTC', () => {
    expect(isTestable(Date.UTC(2023, 8, 19, 23, 59, 59, 999))).toBe(false);
    expect(isTestable(Date.UTC(2023, 8, 20))).toBe(true);
    expect(isTestable(0)).toBe(false);
  });

  it('counts the surest label, or each that a model of several labels is sure of', () => {
    expect(answersThatCount(said, false).map(({ label }) => label)).toEqual(['nut']);
    expect(answersThatCount(said, true).map(({ label }) => label)).toEqual(['nut', 'bolt']);
    expect(answersThatCount([], false)).toEqual([]);
  });

  it.each([
    [['nut'], false, 'right'],
    [['bolt', 'nut'], false, 'right'],
    [['bolt'], false, 'wrong'],
    [[], false, 'unlabelled'],
    [['bolt', 'nut'], true, 'right'],
    [['nut'], true, 'wrong'],
    [['bolt', 'nut', 'washer'], true, 'wrong'],
    [[], true, 'unlabelled'],
  ] as const)(
    'of a picture with the labels %j, where several may be given: %s, is %s',
    (labels, isSeveral, verdict) => {
      expect(verdictOf(answersThatCount(said, isSeveral), labels, isSeveral)).toBe(verdict);
    },
  );

  it('of a model that gives several labels and is sure of none is wrong where there are some', () => {
    expect(verdictOf([], ['nut'], true)).toBe('wrong');
  });
});
