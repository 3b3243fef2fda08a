import { describe, expect, it } from 'vitest';
import { allOf, extended, nothingSelected, toggled, within } from './selection.ts';

const order = [...'abcde'];
const ids = (selection: { readonly ids: ReadonlySet<string> }): string => [...selection.ids].sort().join('');

describe('a selection', () => {
  it('adds and removes one', () => {
    const one = toggled(nothingSelected, 'b');
    expect(ids(one)).toBe('b');
    expect(ids(toggled(one, 'd'))).toBe('bd');
    expect(ids(toggled(one, 'b'))).toBe('');
  });

  it('extends from its anchor in both directions, and keeps the rest', () => {
    const from = toggled(toggled(nothingSelected, 'a'), 'c');
    expect(ids(extended(from, 'e', order))).toBe('acde');
    expect(ids(extended(extended(from, 'e', order), 'b', order))).toBe('abcde');
    expect(ids(extended(nothingSelected, 'd', order))).toBe('d');
    expect(ids(extended(from, 'gone', order))).toBe('ac');
  });

  it('has only ids that are shown', () => {
    const all = allOf(order, toggled(nothingSelected, 'e'));
    expect(ids(all)).toBe('abcde');
    const left = within(all, ['a', 'b', 'x']);
    expect([ids(left), left.anchor]).toEqual(['ab', '']);
  });
});
