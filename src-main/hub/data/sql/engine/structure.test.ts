import { describe, expect, it } from 'vitest';
import { columnStructure, merged, withPath } from './structure.ts';

describe('the structure of readings', () => {
  it('of two readings fits both', () => {
    expect(merged({ a: 'UBIGINT', b: 'VARCHAR' }, { a: 'DOUBLE', c: ['NULL'] })).toEqual({
      a: 'DOUBLE',
      b: 'VARCHAR',
      c: ['NULL'],
    });
    expect(merged({ a: 'NULL', b: 'BIGINT' }, { a: { x: 'BOOLEAN' }, b: 'VARCHAR' })).toEqual({
      a: { x: 'BOOLEAN' },
      b: 'JSON',
    });
    expect(merged([{ a: 'BIGINT' }], [{ b: 'BIGINT' }])).toEqual([{ a: 'BIGINT', b: 'BIGINT' }]);
    expect(merged(['BIGINT'], { a: 'BIGINT' })).toBe('JSON');
    expect(merged({ a: 'BIGINT' }, 'VARCHAR')).toBe('JSON');
  });

  it('is JSON where a column has no type for it', () => {
    expect(
      columnStructure({ n: 'UBIGINT', none: 'NULL', empty: {}, list: ['BIGINT'], both: { A: 'NULL', a: 'NULL' } }),
    ).toEqual({ n: 'DOUBLE', none: 'JSON', empty: 'JSON', list: ['DOUBLE'], both: 'JSON' });
    const ids = Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`id${index}`, 'BIGINT']));
    expect(columnStructure({ ids })).toEqual({ ids: 'JSON' });
    expect(columnStructure({ '': 'VARCHAR' })).toBe('JSON');
  });

  it('is extended by a path that a query names', () => {
    expect(withPath({ readings: { a: 'DOUBLE' } }, ['READINGS', 'b', 'c'], 'VARCHAR')).toEqual({
      readings: { a: 'DOUBLE', b: { c: 'VARCHAR' } },
    });
    expect(withPath({ readings: { a: 'DOUBLE' } }, ['readings', 'a', 'x'], 'VARCHAR')).toEqual({
      readings: { a: 'DOUBLE' },
    });
    expect(withPath({}, ['readings', 't'], 'DOUBLE')).toEqual({ readings: { t: 'DOUBLE' } });
  });
});
