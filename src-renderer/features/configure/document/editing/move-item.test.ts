import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withChange } from '../../../../shared/text-change.ts';
import { childrenAt, locate } from './json-scan.ts';
import { oddJson } from './json.fixture.ts';
import { movedItem } from './move-item.ts';

function moved(text: string, from: number, to: number): string {
  const change = movedItem(text, ['list'], from, to);
  return change === undefined ? text : withChange(text, change);
}

const items = (text: string): string[] =>
  childrenAt(text, locate(text, ['list'])?.start ?? 0).map(({ start, end }) => text.slice(start, end));

describe('moving an item of an array', () => {
  it('keeps commas and indentation, on one line and on several', () => {
    expect(moved('{"list":[1.0,{"a": 2},3e0]}', 0, 2)).toBe('{"list":[{"a": 2},3e0,1.0]}');
    const lines = '{\r\n\t"list": [\r\n\t\t{\r\n\t\t\t"a": 1e3\r\n\t\t},\r\n\t\t2\r\n\t]\r\n}\r\n';
    expect(moved(lines, 1, 0)).toBe('{\r\n\t"list": [\r\n\t\t2,\r\n\t\t{\r\n\t\t\t"a": 1e3\r\n\t\t}\r\n\t]\r\n}\r\n');
    expect(moved('{"list": [{"a": 1}, {\n "b": 2\n},\n\n {"c": 3}]}', 2, 0)).toBe(
      '{"list": [{"c": 3}, {"a": 1},\n\n {\n "b": 2\n}]}',
    );
  });

  it('does nothing without an item, or to the same place', () => {
    for (const [from, to] of [
      [0, 0],
      [0, 3],
      [5, 0],
      [-1, 1],
    ] as const) {
      expect(movedItem('{"list": [1, 2]}', ['list'], from, to)).toBeUndefined();
    }
    expect(movedItem('{"list": {"0": 1}}', ['list'], 0, 0)).toBeUndefined();
    expect(movedItem('{}', ['list'], 0, 1)).toBeUndefined();
  });

  it('changes nothing but the order of any items, and back gives the same text', () => {
    const list = fc.array(oddJson, { minLength: 1, maxLength: 6 });
    const space = fc.constantFrom('', ' ', '\n  ', '\r\n', '\t');
    fc.assert(
      fc.property(list, space, space, fc.nat(5), fc.nat(5), (all, before, after, one, other) => {
        const [from, to] = [one % all.length, other % all.length];
        const text = `{"x": 1.0,${after}"list":${before}[${all.map((item) => item.text).join(`${before},${after}`)}]}`;
        const next = moved(text, from, to);
        const expected = items(text);
        expected.splice(to, 0, ...expected.splice(from, 1));
        expect(items(next)).toEqual(expected);
        expect(next).toHaveLength(text.length);
        expect(moved(next, to, from)).toBe(text);
      }),
    );
  });
});
