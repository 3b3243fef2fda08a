import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commonPrefix, fieldName, fieldPath, fieldPointer, FieldSet, leavesOf, pathOfName, valueAt } from './fields.ts';

const names = (payload: unknown): string[] => leavesOf(payload).map(({ path }) => fieldName(path));

describe('fields of readings', () => {
  it('are found inside of objects and lists', () => {
    expect(
      names({ readings: { c: 21.5, gps: { lat: 1, 'a.b': true }, list: [1, { x: null }], none: {}, empty: [] } }),
    ).toEqual([
      'readings.c',
      'readings.gps.lat',
      'readings.gps["a.b"]',
      'readings.list.0',
      'readings.list.1.x',
      'readings.none',
      'readings.empty',
    ]);
    expect(names({})).toEqual([]);
  });

  it('have a path, a pointer and a name that can be converted to each other', () => {
    const path = fc.array(fc.string({ unit: fc.constantFrom('a', '.', '/', '~', '"', '[', ']', '\\', '0') }), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(path, path, (one, other) => {
        expect(fieldPath(fieldPointer(one))).toEqual(one);
        const isSame = JSON.stringify(one) === JSON.stringify(other);
        expect(fieldName(one) === fieldName(other)).toBe(isSame);
        expect(fieldPointer(one) === fieldPointer(other)).toBe(isSame);
      }),
      { numRuns: 1_000 },
    );
    expect(fieldPath('readings')).toBeUndefined();
  });

  it('lead to their values, and not to inherited properties', () => {
    fc.assert(
      fc.property(fc.object(), (payload) => {
        for (const { path, value } of leavesOf(payload)) expect(valueAt(payload, path)).toBe(value);
      }),
    );
    expect(valueAt({ a: [1] }, ['a', 'length', 'x'])).toBeUndefined();
    expect(valueAt({}, ['constructor'])).toBeUndefined();
  });

  it('are collected over readings, sorted, and numeric once a number was found', () => {
    const fields = new FieldSet();
    expect(fields.add({ b10: null, b9: 'x' })).toBe(true);
    expect(fields.add({ b9: 'y' })).toBe(false);
    expect(fields.add({ b10: 1, a: false })).toBe(true);
    expect(fields.add({ b10: 'x' })).toBe(false);
    expect(fields.sorted()).toEqual([
      { path: ['a'], isNumeric: true },
      { path: ['b9'], isNumeric: false },
      { path: ['b10'], isNumeric: true },
    ]);
  });

  it('share a common prefix', () => {
    const of = (...paths: string[][]): readonly string[] => commonPrefix(paths.map((path) => ({ path })));
    expect(of(['readings', 'a'], ['readings', 'b', 'c'])).toEqual(['readings']);
    expect(of(['readings', 'a', 'x'], ['readings', 'a', 'y'])).toEqual(['readings']);
    expect(of(['a'], ['readings', 'b'])).toEqual([]);
    expect(of(['value'])).toEqual([]);
    expect(of()).toEqual([]);
  });
});

describe('a typed name', () => {
  it('is converted back to its path', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1 }), (path) => {
        expect(pathOfName(fieldName(path))).toEqual(path);
      }),
    );
  });

  it.each(['.a', 'a..b', 'a.', '["a', 'a[0]', 'a"b', '["\\x"]'])('may be invalid: %s', (name) => {
    expect(pathOfName(name)).toBeUndefined();
  });
});
