import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changeBetween, withChange, withoutChange } from '../../../shared/text-change.ts';
import {
  emptyHistory,
  longestHistory,
  recorded,
  redone,
  undone,
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

/** Undoes everything; the texts on the way. */
function unwound(history: UndoHistory, text: string): string[] {
  const texts = [text];
  for (let now = history; now.done.length > 0; now = undone(now)) {
    const step = now.done.at(-1);
    if (step !== undefined) texts.push(withoutChange(texts.at(-1) ?? '', step));
  }
  return texts;
}

describe('the history of a text', () => {
  it('makes one step of letters typed quickly, and steps of what comes after a pause or elsewhere', () => {
    expect(typed(['', 'a', 'ab', 'abc'], 100).done).toMatchObject([{ removed: '', inserted: 'abc' }]);
    expect(typed(['', 'a', 'ab', 'abc'], 500).done).toHaveLength(3);
    expect(typed(['xxxx', 'xxxxa', 'bxxxxa'], 100).done).toHaveLength(2);
    expect(typed(['', 'a', 'ab', 'a', ''], 100).done).toEqual([]);
  });

  it('complaint 1: undoing every step leads back to the start, redoing to the end, whatever joined', () => {
    const texts = fc.array(fc.string({ maxLength: 12 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(texts, fc.constantFrom(10, 1000), (list, gapMs) => {
        const history = typed(list, gapMs);
        const last = list.at(-1) ?? '';
        const back = unwound(history, last);
        expect(back.at(-1)).toBe(list[0]);
        let text = back.at(-1) ?? '';
        let now = history;
        while (now.done.length > 0) now = undone(now);
        for (; now.undone.length > 0; now = redone(now)) {
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
    expect(history.done).toHaveLength(longestHistory);
    expect(unwound(history, '99').at(-1)).toBe(String(99 - longestHistory));
  });

  it('forgets what was undone when something else is done', () => {
    const history = undone(typed(['', 'a', 'ab'], 1000));
    expect(history.undone).toHaveLength(1);
    const next = recorded(history, stepOf('a', 'ac', 'typing', 1100), joinMs);
    expect([next.done.length, next.undone.length]).toEqual([2, 0]);
  });
});
