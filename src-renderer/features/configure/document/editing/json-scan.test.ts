import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { childrenAt, locate, rootOf } from './json-scan.ts';
import { oddJson } from './json.fixture.ts';

describe('scanning a JSON text', () => {
  it('finds every value where it is', () => {
    const check = (text: string, value: unknown, path: (string | number)[]): void => {
      const place = locate(text, path);
      expect(place && JSON.parse(text.slice(place.start, place.end))).toEqual(value);
      if (typeof value !== 'object' || value === null) return;
      const children = childrenAt(text, place?.start ?? 0);
      expect(children.length).toBe(Object.keys(value).length);
      if (Array.isArray(value)) value.forEach((item: unknown, index) => check(text, item, [...path, index]));
      else for (const [key, item] of Object.entries(value)) check(text, item, [...path, key]);
    };
    fc.assert(fc.property(oddJson, ({ text, value }) => check(text, value, [])));
  });

  it('finds nothing at a path without a value', () => {
    expect(rootOf(' \n')).toBeUndefined();
    expect(locate('{"a": [1]}', ['a', 1])).toBeUndefined();
    expect(locate('{"a": [1]}', ['a', '0'])).toBeUndefined();
    expect(locate('{"a": 1}', ['a', 'b'])).toBeUndefined();
  });

  it('takes the last of a duplicate key, as JSON.parse does', () => {
    expect(locate('{"a": 1, "a": 2}', ['a'])?.start).toBe(14);
  });
});
