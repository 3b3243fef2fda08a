import { describe, expect, it } from 'vitest';
import { isReadyToTrain, likelyTask, trainingChecks, type DatasetCounts, type TrainingTask } from './training-rules.ts';

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
    expect(isReadyToTrain('singleLabel', good)).toBe(true);
    expect(missing('singleLabel', { ...good, tagged: 19 })).toEqual([['labelled', '', 1]]);
    expect(missing('singleLabel', { ...good, pictures: 26 })).toEqual([['labelled', '', 1]]);
    expect(missing('multiLabel', { ...good, tags: [tag('bad', 9), tag('good', 3)] })).toEqual([
      ['rareLabel', 'bad', 1],
      ['rareLabel', 'good', 7],
    ]);
  });

  it('is two labels to tell apart where a picture has one, and one where it may have several', () => {
    const one = { ...good, tags: [tag('good', 20)] };
    expect(missing('singleLabel', one)).toEqual([['labels', '', 1]]);
    expect(missing('multiLabel', one)).toEqual([]);
  });

  it('leaves pictures with several labels out where a picture has one', () => {
    expect(missing('singleLabel', { ...good, severalTags: 2 })).toEqual([['labelled', '', 2]]);
    expect(missing('multiLabel', { ...good, severalTags: 2 })).toEqual([]);
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

  it('is of the labels that are chosen, where some are', () => {
    const three = { ...good, pictures: 40, tagged: 35, tags: [...good.tags, tag('odd', 15)] };
    const rules = (labels: readonly string[]) =>
      trainingChecks('singleLabel', three, labels)
        .filter((check) => check.missing > 0)
        .map(({ rule, label, found }) => [rule, label, found]);
    expect(rules(['bad', 'good'])).toEqual([]);
    expect(rules(['bad'])).toEqual([['labels', '', 1]]);
    expect(rules(['bad', 'none'])).toEqual([['rareLabel', 'none', 0]]);
  });

  it('is likely for what more pictures have', () => {
    expect(likelyTask(counts({ tagged: 2, boxed: 3 }))).toBe('detection');
    expect(likelyTask(counts({ tagged: 3, boxed: 3 }))).toBe('singleLabel');
  });

  it('is never met by nothing', () => {
    for (const task of ['singleLabel', 'multiLabel', 'detection'] as const) {
      expect(isReadyToTrain(task, counts({}))).toBe(false);
    }
  });
});
