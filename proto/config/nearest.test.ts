import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editDistance, nearest } from './nearest.ts';

describe('editDistance', () => {
  it.each([
    ['motor', 'motor', 0],
    ['motor', 'moter', 1],
    ['motor', 'motro', 1],
    ['motor', 'mtor', 1],
    ['motor', 'mootor', 1],
    ['', 'abc', 3],
    ['kitten', 'sitting', 3],
  ])('%s to %s takes %i', (a, b, distance) => {
    expect(editDistance(a, b, 10)).toBe(distance);
    expect(editDistance(b, a, 10)).toBe(distance);
  });

  it('answers one more than the limit for everything beyond it', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 });
    fc.assert(
      fc.property(word, word, fc.nat({ max: 6 }), (a, b, limit) => {
        expect(editDistance(a, b, limit)).toBe(Math.min(editDistance(a, b, 100), limit + 1));
      }),
    );
  });
});

describe('nearest', () => {
  it.each([
    ['max_rmp', ['min_rpm', 'max_rpm'], 'max_rpm'],
    ['MAX_RPM', ['max_rpm'], 'max_rpm'],
    ['brd', ['board', 'bed'], 'bed'],
    ['x', ['board'], undefined],
    ['a', ['b', 'x'], undefined],
    ['m1', ['m2', 'M1'], 'M1'],
    ['m1', ['m2', 'e'], undefined],
    ['completely', ['different'], undefined],
    ['', ['a'], undefined],
    ['a'.repeat(1_000), ['a'.repeat(999)], undefined],
  ])('of %s in %j is %s', (name, candidates, expected) => {
    expect(nearest(name, candidates)).toBe(expected);
  });

  it('finds a name that is there', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'b', '_'), minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(fc.array(name), name, (names, wanted) => {
        expect(nearest(wanted, [...names, wanted])).toBe(wanted);
      }),
    );
  });
});
