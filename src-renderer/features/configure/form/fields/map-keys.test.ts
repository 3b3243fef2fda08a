import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstList, firstValue, keyFault, withKey } from './map-keys.ts';

describe('keys of a map', () => {
  it('are not empty and unique', () => {
    const map = { boxes: 'location', scores: 'score' };
    expect(keyFault(map, '', 'boxes')).toBe('empty');
    expect(keyFault(map, 'scores', 'boxes')).toBe('taken');
    expect(keyFault(map, 'scores', undefined)).toBe('taken');
    expect(keyFault(map, 'boxes', 'boxes')).toBeUndefined();
    expect(keyFault(map, 'constructor', undefined)).toBeUndefined();
  });

  it('are renamed at their place, and nothing else changes', () => {
    expect(Object.entries(withKey({ a: 1, b: 2, c: 3 }, 'b', 'x'))).toEqual([
      ['a', 1],
      ['x', 2],
      ['c', 3],
    ]);
    const key = fc.stringMatching(/^[a-z]{1,3}$/);
    fc.assert(
      fc.property(fc.dictionary(key, fc.integer()), key, key, (map, own, next) => {
        fc.pre(Object.hasOwn(map, own) && keyFault(map, next, own) === undefined);
        const changed = withKey(map, own, next);
        expect(changed[next]).toBe(map[own]);
        expect(Object.values(changed)).toEqual(Object.values(map));
        expect(withKey(changed, next, own)).toEqual(map);
      }),
    );
  });
});

describe('a new value', () => {
  it('begins with the default or an example', () => {
    expect(firstValue({ type: 'string' })).toBe('');
    expect(firstValue({ type: 'number', minimum: 0.5 })).toBe(0.5);
    expect(firstValue({ type: 'number', default: 2, minimum: 1 })).toBe(2);
    expect(firstValue({ type: 'string', examples: ['image'] })).toBe('image');
    expect(firstList({ type: 'array', minItems: 3, items: { type: 'number' } })).toEqual([0, 0, 0]);
    expect(firstList({ type: 'array', items: { type: 'integer', minimum: 1 } })).toEqual([1]);
    expect(firstList({ type: 'array', default: [0.5, 0.5, 0.5] })).toEqual([0.5, 0.5, 0.5]);
    expect(firstList({ type: 'array', examples: [[1, 0, 3, 2]] })).toEqual([1, 0, 3, 2]);
  });
});
