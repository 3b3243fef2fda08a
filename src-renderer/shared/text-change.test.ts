import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changeBetween, withChange, withoutChange } from './text-change.ts';

describe('a change of a text', () => {
  it('finds the smallest change between two texts', () => {
    expect(changeBetween('abcd', 'abXd')).toEqual({ from: 2, removed: 'c', inserted: 'X' });
    fc.assert(
      fc.property(fc.string(), fc.string(), (from, to) => {
        const change = changeBetween(from, to);
        expect([withChange(from, change), withoutChange(to, change)]).toEqual([to, from]);
      }),
    );
  });
});
