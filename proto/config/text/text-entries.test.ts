import { describe, expect, it } from 'vitest';
import { entryDifferences, isSameValue, textEntries, type TextEntry } from './text-entries.ts';

describe('equal values', () => {
  it.each<readonly [unknown, unknown, boolean]>([
    [{ a: 1, b: [2, { c: null }] }, { b: [2, { c: null }], a: 1 }, true],
    [{ a: 1, b: undefined }, { a: 1 }, true],
    [{ a: 1 }, { a: 1, b: undefined }, true],
    [{ a: 1, b: undefined }, { a: 1, b: null }, false],
    [{ a: 1 }, { a: 1, b: 2 }, false],
    [{ a: 1, b: 2 }, { a: 1 }, false],
    [{ a: undefined, b: 1 }, { c: 1 }, false],
    [{ constructor: 1 }, {}, false],
    [[1, 2], [2, 1], false],
    [[], {}, false],
    [null, {}, false],
    [0, -0, true],
    [Number.NaN, Number.NaN, true],
  ])('%j and %j: %s', (one, other, isSame) => {
    expect(isSameValue(one, other)).toBe(isSame);
    expect(isSameValue(other, one)).toBe(isSame);
  });
});

describe('what two configurations say differently', () => {
  it('comes in the order of the later one, and then what is gone', () => {
    const entries = (value: unknown): ReadonlyMap<string, TextEntry> => textEntries(JSON.stringify(value)) ?? new Map();
    const motor = (name: string, speed: number): object => ({
      name,
      api: 'rdk:component:motor',
      attributes: { speed },
    });
    const before = entries({ components: [motor('gone', 1), motor('same', 1), motor('other', 1)] });
    const after = entries({ debug: true, components: [motor('other', 2), motor('new', 1), motor('same', 1)] });
    expect(
      entryDifferences(before, after).map(({ subject, was, is }) => [subject, was !== undefined, is !== undefined]),
    ).toEqual([
      ['debug', false, true],
      ['core:component:motor/other', true, true],
      ['core:component:motor/new', false, true],
      ['core:component:motor/gone', true, false],
    ]);
  });
});
