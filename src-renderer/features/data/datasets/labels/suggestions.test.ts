import { describe, expect, it } from 'vitest';
import { noLabels } from './picture-labels.ts';
import { overlap, suggestionsOf, type SuggestionOptions } from './suggestions.ts';

const box = (label: string, confidence: number, left = 0, right = 0.5) => ({
  ...{ id: '', label, confidence, xMinNormalized: left, xMaxNormalized: right },
  ...{ yMinNormalized: 0, yMaxNormalized: 1 },
});
const options: SuggestionOptions = {
  minConfidence: 0.5,
  boxClasses: ['nut', 'Bolt'],
  tagClasses: ['good'],
  labels: noLabels,
  rejected: new Set(),
};

describe('suggestions of a model', () => {
  it('use the classes of the dataset by name, ignoring case, and mark new ones', () => {
    const findings = {
      boxes: [box('nut', 0.9), box('bolt', 0.8), box('washer', 0.7)],
      classes: [{ id: '', label: 'GOOD', confidence: 0.6 }],
    };
    expect(suggestionsOf(findings, options).map(({ label, isNew }) => [label, isNew])).toEqual([
      ['nut', false],
      ['Bolt', false],
      ['washer', true],
      ['good', false],
    ]);
  });

  it('leave out low confidences, rejected ones, and labels that the picture has already', () => {
    const findings = { boxes: [box('nut', Math.fround(0.9)), box('nut', 0.8, 0.5, 1), box('nut', 0.4)], classes: [] };
    const ids = (more: Partial<SuggestionOptions>) =>
      suggestionsOf(findings, { ...options, ...more }).map(({ id }) => id);
    expect(ids({})).toEqual(['box 0', 'box 1']);
    expect(ids({ minConfidence: 0.4 })).toEqual(['box 0', 'box 1', 'box 2']);
    expect(ids({ minConfidence: 0.9 })).toEqual(['box 0']);
    expect(ids({ rejected: new Set(['box 0']) })).toEqual(['box 1']);
    const edges = { left: 0.05, top: 0, right: 0.5, bottom: 1 };
    const there = (label: string) => ({ tags: [], boxes: [{ id: 'a', label, edges }] });
    expect(ids({ labels: there('nut') })).toEqual(['box 1']);
    expect(ids({ labels: there('Bolt') })).toEqual(['box 0', 'box 1']);
    const tagged = { labels: { boxes: [], tags: ['good'] } };
    const found = { boxes: [], classes: [{ id: '', label: 'good', confidence: 1 }] };
    expect(suggestionsOf(found, { ...options, ...tagged })).toEqual([]);
  });

  it('are limited in number', () => {
    const boxes = Array.from({ length: 150 }, (_, index) => box('nut', 0.9, index / 150, (index + 1) / 150));
    expect(suggestionsOf({ boxes, classes: [] }, options)).toHaveLength(100);
  });
});

describe('the overlap of boxes', () => {
  it('is the share of their union that they have in common', () => {
    const half = { left: 0, top: 0, right: 0.5, bottom: 1 };
    expect(overlap(half, half)).toBe(1);
    expect(overlap(half, { ...half, left: 0.5, right: 1 })).toBe(0);
    expect(overlap(half, { ...half, left: 0.25, right: 0.75 })).toBeCloseTo(1 / 3);
  });
});
