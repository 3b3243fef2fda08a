import { describe, expect, it } from 'vitest';
import { isReadyToTrain, trainingChecks, type DatasetCounts, type TrainingTask } from './training-rules.ts';

const tag = (label: string, pictures: number) => ({ label, pictures, boxes: 0 });
const counts = (more: Partial<DatasetCounts>): DatasetCounts => ({
  ...{ pictures: 0, tagged: 0, severalTags: 0, boxed: 0, unlabelled: 0, tags: [], boxes: [] },
  ...more,
});
const missing = (task: TrainingTask, more: Partial<DatasetCounts>) =>
  trainingChecks(task, counts(more))
    .filter((check) => check.missing > 0)
    .map(({ rule, label, missing: count }) => [rule, label, count]);

describe('what training wants', () => {
  const good = counts({ pictures: 25, tagged: 20, tags: [tag('bad', 10), tag('good', 10)] });

  it('is 80 of 100 pictures labelled, and 10 of each label', () => {
    expect(isReadyToTrain('single-label', good)).toBe(true);
    expect(missing('single-label', { ...good, tagged: 19 })).toEqual([['labelled', '', 1]]);
    expect(missing('single-label', { ...good, pictures: 26 })).toEqual([['labelled', '', 1]]);
    expect(missing('multi-label', { ...good, tags: [tag('bad', 9), tag('good', 3)] })).toEqual([
      ['rare-label', 'bad', 1],
      ['rare-label', 'good', 7],
    ]);
  });

  it('is two labels to tell apart where a picture has one, and one where it may have several', () => {
    const one = { ...good, tags: [tag('good', 20)] };
    expect(missing('single-label', one)).toEqual([['labels', '', 1]]);
    expect(missing('multi-label', one)).toEqual([]);
  });

  it('leaves pictures with several labels out where a picture has one', () => {
    expect(missing('single-label', { ...good, severalTags: 2 })).toEqual([['labelled', '', 2]]);
    expect(missing('multi-label', { ...good, severalTags: 2 })).toEqual([]);
  });

  it('is 15 pictures and 10 boxes of each label for detection, whatever their tags', () => {
    const boxes = [{ label: 'screw', pictures: 12, boxes: 30 }];
    expect(missing('detection', { pictures: 14, boxed: 12, boxes })).toEqual([['pictures', '', 1]]);
    expect(missing('detection', { pictures: 15, boxed: 12, boxes })).toEqual([]);
    expect(missing('detection', good)).toEqual([
      ['labelled', '', 20],
      ['labels', '', 1],
    ]);
  });

  it('is never met by nothing', () => {
    for (const task of ['single-label', 'multi-label', 'detection'] as const) {
      expect(isReadyToTrain(task, counts({}))).toBe(false);
    }
  });
});
