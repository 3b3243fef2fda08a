import { describe, expect, it } from 'vitest';
import { DEFAULT_BOX_ORDER, detectionsOf, type DetectOptions, type Values } from './detect.ts';
import { filterOf } from './filter.ts';

const values = (name: string, shape: readonly number[], of: readonly number[]): Values => ({ name, shape, values: of });

const options: DetectOptions = {
  labels: ['cat', 'dog'],
  order: DEFAULT_BOX_ORDER,
  input: { width: 101, height: 51 },
  picture: { width: 201, height: 101 },
  filter: () => true,
};

describe('boxes of a model', () => {
  it('are shares of the picture, top, left, bottom, right', () => {
    const location = values('location', [1, 2, 4], [0.25, 0.5, 0.75, 1, 0, 0, 0, 0]);
    const score = values('score', [1, 2], [0.75, 0]);
    const category = values('category', [1, 2], [1, 7]);
    expect(detectionsOf({ location, score, category }, options)).toEqual([
      {
        label: 'dog',
        confidence: 0.75,
        pixels: { xMin: 100, yMin: 25, xMax: 200, yMax: 75 },
        shares: { xMin: 100 / 201, yMin: 25 / 101, xMax: 200 / 201, yMax: 75 / 101 },
      },
      {
        // There is no label for it: its number, and nothing of the call is lost.
        label: '7',
        confidence: 0,
        pixels: { xMin: 0, yMin: 0, xMax: 0, yMax: 0 },
        shares: { xMin: 0, yMin: 0, xMax: 0, yMax: 0 },
      },
    ]);
  });

  it('are pixels of what the model was given, also where the first one is all zero', () => {
    const location = values('location', [1, 2, 4], [0, 0, 0, 0, 10, 50, 25, 500]);
    const score = values('score', [1, 2], [0.5, 0.5]);
    const category = values('category', [1, 2], [0, 0]);
    const [, second] = detectionsOf({ location, score, category }, options);
    // 50 of 100 along the width and beyond the end, 10 and 25 of 50 down.
    expect(second?.pixels).toEqual({ xMin: 100, yMin: 20, xMax: 200, yMax: 50 });
  });

  it.each<[string, readonly number[], readonly number[]]>([
    ['left, top, right, bottom', [0, 1, 2, 3], [0.5, 0.25, 1, 0.75]],
    ['right and bottom first, the larger side too', [2, 3, 0, 1], [0.5, 0.25, 1, 0.75]],
  ])('have their sides in the order that is said: %s', (_what, order, corners) => {
    const location = values('location', [1, 1, 4], corners);
    const one = values('one', [1, 1], [1]);
    const [found] = detectionsOf({ location, score: one, category: one }, { ...options, order });
    expect(found?.pixels).toEqual({ xMin: 100, yMin: 25, xMax: 200, yMax: 75 });
  });

  it.each<[string, readonly number[], readonly number[]]>([
    ['box by box', [1, 3, 2], [0.1, 0.9, 0.8, 0.2, 0.3, 0.4]],
    ['label by label', [1, 2, 3], [0.1, 0.8, 0.3, 0.9, 0.2, 0.4]],
  ])('take the most likely label where there are scores for each: %s', (_what, shape, scores) => {
    const location = values('location', [1, 3, 4], Array(12).fill(0.5) as number[]);
    const found = detectionsOf({ location, score: values('score', shape, scores), category: undefined }, options);
    expect(found.map(({ label, confidence }) => [label, confidence])).toEqual([
      ['dog', 0.9],
      ['cat', 0.8],
      ['dog', 0.4],
    ]);
  });

  it('are read side by side where the sides come first', () => {
    const location = values('location', [1, 4, 2], [0.25, 0, 0.5, 0, 0.75, 1, 1, 1]);
    const two = values('two', [1, 2], [1, 1]);
    const found = detectionsOf({ location, score: two, category: two }, options);
    expect(found.map(({ pixels }) => pixels)).toEqual([
      { xMin: 100, yMin: 25, xMax: 200, yMax: 75 },
      { xMin: 0, yMin: 0, xMax: 200, yMax: 100 },
    ]);
  });

  it.each([
    [
      'score',
      values('score', [1, 3], [1, 1, 1]),
      'there are 2 boxes, and 3 numbers in "score" ("location" [1, 2, 4], "score" [1, 3], "category" [1, 2])',
    ],
  ])('are refused with their shapes where they do not belong together: %s', (_what, score, words) => {
    const location = values('location', [1, 2, 4], Array(8).fill(0) as number[]);
    expect(() => detectionsOf({ location, score, category: values('category', [1, 2], [0, 0]) }, options)).toThrow(
      words,
    );
  });

  it('may be none', () => {
    const location = values('location', [1, 0, 4], []);
    const score = values('score', [1, 0, 2], []);
    expect(detectionsOf({ location, score, category: undefined }, options)).toEqual([]);
  });
});

describe('what is sure enough', () => {
  it.each<[object, readonly [string, number][], readonly boolean[]]>([
    [{}, [['cat', 0]], [true]],
    [
      { default_minimum_confidence: 0.5 },
      [
        ['cat', 0.5],
        ['cat', 0.49],
      ],
      [true, false],
    ],
    // Only the map counts where there is one, and whatever the case of its labels.
    [
      { default_minimum_confidence: 0.9, label_confidences: { Cat: 0.2 } },
      [
        ['cat', 0.2],
        ['cat', 0.1],
        ['dog', 1],
      ],
      [true, false, false],
    ],
    [{ default_minimum_confidence: 0.5, label_confidences: {} }, [['cat', 0.4]], [false]],
  ])('%j', (attributes, found, expected) => {
    const filter = filterOf(attributes);
    expect(found.map(([label, confidence]) => filter(label, confidence))).toEqual(expected);
  });
});
