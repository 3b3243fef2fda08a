import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  changeBetween,
  isNothing,
  labelsOf,
  toggledTag,
  withBox,
  withChange,
  withoutBox,
  type PictureLabels,
} from './picture-labels.ts';

const edges = { left: 0, top: 0.1, right: 0.5, bottom: 0.9 };
const box = fc.record({
  id: fc.constantFrom('a', 'b', 'c', 'd'),
  label: fc.constantFrom('screw', 'nut'),
  edges: fc.constantFrom(edges, { ...edges, right: 0.6 }),
});
const labels: fc.Arbitrary<PictureLabels> = fc.record({
  boxes: fc.uniqueArray(box, { selector: ({ id }) => id }),
  tags: fc.uniqueArray(fc.constantFrom('good', 'left', 'worn')).map((tags) => tags.sort()),
});
const inOrder = ({ boxes, tags }: PictureLabels) => ({
  boxes: [...boxes].sort((a, b) => (a.id < b.id ? -1 : 1)),
  tags,
});

describe('labels of a picture', () => {
  it('are turned into others by the change between them, and equal labels have no change', () => {
    fc.assert(
      fc.property(labels, labels, (before, after) => {
        const change = changeBetween(before, after);
        expect(inOrder(withChange(before, change))).toEqual(inOrder(after));
        expect(inOrder(withChange(withChange(before, change), change))).toEqual(inOrder(after));
        expect(isNothing(changeBetween(after, after))).toBe(true);
      }),
    );
  });

  it('keep changes that others made meanwhile', () => {
    const mine = { id: 'a', label: 'screw', edges };
    const theirs = { id: 'b', label: 'nut', edges };
    const change = changeBetween({ boxes: [], tags: ['old'] }, { boxes: [mine], tags: ['good'] });
    expect(withChange({ boxes: [theirs], tags: ['old', 'theirs'] }, change)).toEqual({
      boxes: [theirs, mine],
      tags: ['good', 'theirs'],
    });
  });

  it('are read from tags and classifications, without duplicates', () => {
    const bbox = {
      id: 'a',
      label: 'screw',
      xMinNormalized: 0,
      yMinNormalized: 0.1,
      xMaxNormalized: 0.5,
      yMaxNormalized: 0.9,
    };
    const found = labelsOf({
      annotations: { bboxes: [bbox], classifications: [{ id: 'c', label: 'good' }] },
      captureMetadata: { tags: ['worn', 'good'] },
    } as Parameters<typeof labelsOf>[0]);
    expect(found).toEqual({ boxes: [{ id: 'a', label: 'screw', edges }], tags: ['good', 'worn'] });
  });

  it('can be changed one by one', () => {
    const one = withBox({ boxes: [], tags: [] }, { id: 'a', label: 'screw', edges });
    const nut = withBox(one, { id: 'a', label: 'nut', edges });
    expect(nut.boxes).toEqual([{ id: 'a', label: 'nut', edges }]);
    expect(withoutBox(nut, 'a').boxes).toEqual([]);
    expect(toggledTag(toggledTag(one, 'z'), 'b').tags).toEqual(['b', 'z']);
    expect(toggledTag(toggledTag(one, 'z'), 'z').tags).toEqual([]);
  });
});
