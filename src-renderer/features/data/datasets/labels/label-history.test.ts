import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { beginHistory, changed, redone, undone } from './label-history.ts';
import type { PictureLabels } from './picture-labels.ts';

const tagged = (...tags: string[]): PictureLabels => ({ boxes: [], tags });

describe('the history of a picture', () => {
  it('goes back to the start and forward to the end', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { maxLength: 75 }), (words) => {
        const start = beginHistory(tagged());
        const end = words.reduce((history, word) => changed(history, tagged(word), ''), start);
        const back = words.reduce(undone, end);
        expect(back.present).toEqual(tagged());
        expect(undone(back)).toBe(back);
        const forward = words.reduce(redone, back);
        expect(forward.present).toEqual(end.present);
        expect(redone(forward)).toBe(forward);
      }),
    );
  });

  it('undoes consecutive changes of one subject in one step', () => {
    let history = beginHistory(tagged('a'));
    for (const word of ['b', 'c', 'd']) history = changed(history, tagged(word), 'move 1');
    history = changed(history, tagged('e'), 'move 2');
    history = undone(history);
    expect(history.present).toEqual(tagged('d'));
    expect(undone(history).present).toEqual(tagged('a'));
    expect(undone(changed(history, tagged('f'), 'move 1')).present).toEqual(tagged('d'));
  });

  it('cannot redo after another change', () => {
    const history = changed(undone(changed(beginHistory(tagged()), tagged('a'), '')), tagged('b'), '');
    expect(redone(history)).toBe(history);
  });
});
