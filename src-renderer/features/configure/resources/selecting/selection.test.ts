import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { all, anchoredAt, emptySelection, extended, shownIn, toggled } from './selection.ts';

const order = ['a', 'b', 'c', 'd', 'e'];

describe('a selection', () => {
  it('takes a row in and out', () => {
    const two = toggled(toggled(emptySelection, 'b'), 'd');
    expect(shownIn(two, order)).toEqual(['b', 'd']);
    expect(shownIn(toggled(two, 'b'), order)).toEqual(['d']);
  });

  it('is a range from where it began, which can turn', () => {
    const down = extended(anchoredAt('c'), order, 'e', '');
    expect(shownIn(down, order)).toEqual(['c', 'd', 'e']);
    expect(shownIn(extended(down, order, 'a', ''), order)).toEqual(['a', 'b', 'c']);
  });

  it('begins at the open row, or at the row itself, if nothing was clicked yet', () => {
    expect(shownIn(extended(emptySelection, order, 'd', 'c'), order)).toEqual(['c', 'd']);
    expect(shownIn(extended(emptySelection, order, 'd', 'gone'), order)).toEqual(['d']);
    expect(shownIn(extended(anchoredAt('gone'), order, 'b', 'c'), order)).toEqual(['b', 'c']);
  });

  it('has no row that the list does not show', () => {
    expect(shownIn(all(emptySelection, order), ['b', 'x'])).toEqual(['b']);
  });

  it('as a range is in one piece, with both ends', () => {
    const row = fc.constantFrom(...order);
    fc.assert(
      fc.property(row, fc.array(row, { minLength: 1 }), (first, steps) => {
        const last = steps.reduce((before, key) => extended(before, order, key, ''), anchoredAt(first));
        const shown = shownIn(last, order);
        expect(order.join('')).toContain(shown.join(''));
        expect(shown).toContain(first);
        expect(shown).toContain(steps.at(-1));
      }),
    );
  });
});
