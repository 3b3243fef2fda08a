import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changeBetween, withChange } from '../../../../shared/text-change.ts';
import {
  emptyHistory,
  lastOwnStep,
  MAX_UNDO_STEPS,
  recorded,
  redone,
  undoLast,
  type MergedTexts,
  type UndoHistory,
  type UndoStep,
} from './undo-history.ts';

const joinMs = 500;
const stepOf = (from: string, to: string, group: string, at: number): UndoStep => ({
  ...changeBetween(from, to),
  label: group,
  group,
  at,
});

/** Types texts one after the other, `gapMs` apart. */
function typed(texts: readonly string[], gapMs: number): UndoHistory {
  let history = emptyHistory;
  texts.slice(1).forEach((text, index) => {
    history = recorded(history, stepOf(texts[index] ?? '', text, 'typing', index * gapMs), joinMs);
  });
  return history;
}

/** Undoes every step; returns the texts after each and the final history. */
function undoAll(history: UndoHistory, text: string): { texts: string[]; history: UndoHistory } {
  const texts = [text];
  let now = history;
  for (let back = undoLast(now, text, unmerged); back !== undefined; back = undoLast(now, back.text, unmerged)) {
    texts.push(back.text);
    now = back.history;
  }
  return { texts, history: now };
}

function unmerged(): never {
  throw new Error('there is no merge');
}

describe('the history of a text', () => {
  it('joins keys typed quickly into one step, and begins another after a pause or elsewhere', () => {
    expect(typed(['', 'a', 'ab', 'abc'], 100).done).toMatchObject([{ removed: '', inserted: 'abc' }]);
    expect(typed(['', 'a', 'ab', 'abc'], 500).done).toHaveLength(3);
    expect(typed(['xxxx', 'xxxxa', 'bxxxxa'], 100).done).toHaveLength(2);
    expect(typed(['', 'a', 'ab', 'a', ''], 100).done).toEqual([]);
  });

  it('returns to the first text by undoing every step and to the last by redoing, whichever steps joined', () => {
    const texts = fc.array(fc.string({ maxLength: 12 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(texts, fc.constantFrom(10, 1000), (list, gapMs) => {
        const history = typed(list, gapMs);
        const last = list.at(-1) ?? '';
        const back = undoAll(history, last);
        expect(back.texts.at(-1)).toBe(list[0]);
        let text = back.texts.at(-1) ?? '';
        for (let now = back.history; now.undone.length > 0; now = redone(now)) {
          const step = now.undone.at(-1);
          if (step !== undefined) text = withChange(text, step);
        }
        expect(text).toBe(last);
      }),
    );
  });

  it('keeps 75 steps and forgets the oldest', () => {
    const texts = Array.from({ length: 100 }, (_, index) => String(index));
    const history = typed(texts, 1000);
    expect(history.done).toHaveLength(MAX_UNDO_STEPS);
    expect(undoAll(history, '99').texts.at(-1)).toBe(String(99 - MAX_UNDO_STEPS));
  });

  it('forgets undone steps when a new step is recorded', () => {
    const history = undoLast(typed(['', 'a', 'ab'], 1000), 'ab', unmerged)?.history;
    expect(history?.undone).toHaveLength(1);
    const next = recorded(history ?? emptyHistory, stepOf('a', 'ac', 'typing', 1100), joinMs);
    expect([next.done.length, next.undone.length]).toEqual([2, 0]);
  });

  it('undoes the steps before a merge, and keeps the changes that the merge brought', () => {
    // Lower case is mine, upper case theirs; a text with an exclamation mark does not parse.
    const merge = ({ mine, theirs }: MergedTexts): string | undefined =>
      mine.includes('!') ? undefined : `${mine}${theirs}`;
    let history = typed(['', 'a', 'a!', 'ab'], 1000);
    const meet = (base: string, mine: string, theirs: string): void => {
      const step = { ...stepOf(mine, mine + theirs, '', 9000), merge: { base, mine, theirs } };
      history = recorded(history, step, joinMs);
    };
    meet('', 'ab', 'X');
    history = recorded(history, stepOf('abX', 'abcX', 'typing', 9500), joinMs);
    meet('X', 'abcX', 'Y');
    expect(lastOwnStep(history)?.inserted).toBe('c');
    const texts: string[] = [];
    let text = 'abcXY';
    for (let back = undoLast(history, text, merge); back !== undefined; back = undoLast(history, text, merge)) {
      ({ history, text } = back);
      texts.push(text);
    }
    expect(texts).toEqual(['abXY', 'aXY', 'XY']);
    for (; history.undone.length > 0; history = redone(history)) {
      const step = history.undone.at(-1);
      if (step !== undefined) text = withChange(text, step);
    }
    expect(text).toBe('abcXY');
  });
});
