import { describe, expect, it } from 'vitest';
import { classificationsOf, mostLikely, probabilitiesOf } from './classify.ts';
import { parseLabels } from './labels.ts';

const list = (of: ArrayLike<number>): number[] => Array.from(of, (value) => Math.round(value * 1e6) / 1e6);

describe('outputs as probabilities', () => {
  it.each<[string, readonly number[], readonly number[]]>([
    ['probabilities, as they are', [0.2, 0.5, 0.3], [0.2, 0.5, 0.3]],
    ['probabilities of several labels at once', [0.9, 0.8], [0.9, 0.8]],
    ['a little over 1 by rounding', [1.0004, 0], [1, 0]],
    ['logits', [1, 2, 3], [0.090031, 0.244728, 0.665241]],
    ['large logits, whose exponentials are infinite', [1000, 999], [0.731059, 0.268941]],
    ['one logit', [2], [0.880797]],
    ['one probability', [0.7], [0.7]],
    ['what is no number', [NaN, 0.5], [0, 0.5]],
    ['nothing', [], []],
  ])('%s', (_what, values, expected) => {
    expect(list(probabilitiesOf(values))).toEqual(expected);
  });
});

describe('classifications', () => {
  it('have a label each, or their number, and leave out what is not sure enough', () => {
    const found = classificationsOf([0.2, 0.5, 0.3], ['cat', 'dog'], (_label, confidence) => confidence > 0.2);
    expect(found).toEqual([
      { label: 'dog', confidence: 0.5 },
      { label: '2', confidence: 0.3 },
    ]);
  });

  it.each([
    [0, ['a', 'b', 'c']],
    [-1, ['a', 'b', 'c']],
    [2, ['b', 'c']],
    [9, ['b', 'c', 'a']],
  ])('so many of the most likely ones, all as they are for 0 or less: %d', (count, expected) => {
    const found = [
      { label: 'a', confidence: 0.1 },
      { label: 'b', confidence: 0.6 },
      { label: 'c', confidence: 0.3 },
    ];
    expect(mostLikely(found, count).map(({ label }) => label)).toEqual(expected);
  });
});

describe('labels of a file', () => {
  it.each<[string, readonly string[]]>([
    ['red\r\ngreen \n\n  blue\n', ['red', 'green', 'blue']],
    ['traffic light\nstop sign', ['traffic light', 'stop sign']],
    ['red, green,blue\n', ['red', 'green', 'blue']],
    ['red green  blue', ['red', 'green', 'blue']],
    ['\uFEFFonly', ['only']],
    ['', []],
  ])('%j', (text, labels) => {
    expect(parseLabels(text)).toEqual(labels);
  });
});
