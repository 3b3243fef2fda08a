import { describe, expect, it } from 'vitest';
import { firstQuery } from './first-query.ts';
import { isNumeric, placeIn, resultCsv, valueWords } from './query-words.ts';

describe('a query and its result in words', () => {
  it('a mistake has a line and a column', () => {
    expect(placeIn('SELECT 1,\n  nope\nFROM x', 12)).toEqual({ line: 2, column: 3, text: '  nope' });
    expect(placeIn('SELEC 1', 0)).toEqual({ line: 1, column: 1, text: 'SELEC 1' });
    expect(placeIn('SELECT', 6)).toEqual({ line: 1, column: 7, text: 'SELECT' });
  });

  it('columns of numbers are recognized by their types', () => {
    const types = [
      'TINYINT',
      'INTEGER',
      'UBIGINT',
      'HUGEINT',
      'DOUBLE',
      'DECIMAL(9,2)',
      'VARCHAR',
      'INTERVAL',
      'DOUBLE[]',
    ];
    expect(types.map(isNumeric)).toEqual([true, true, true, true, true, true, false, false, false]);
  });

  it('a result is written as RFC 4180 CSV', () => {
    const columns = ['t', 'a,b', 'list'].map((name) => ({ name, type: 'VARCHAR' }));
    const rows = [
      [1.5, 'x "y"', [1, null]],
      [null, '2026-06-01T00:00:00.000Z', { open: true }],
    ];
    expect(resultCsv({ columns, rows })).toBe(
      't,"a,b",list\r\n1.5,"x ""y""","[1,null]"\r\n,2026-06-01T00:00:00.000Z,"{""open"":true}"\r\n',
    );
    expect([null, 'text', [1], true].map(valueWords)).toEqual(['', 'text', '[1]', 'true']);
  });

  it('the first query is about the open source', () => {
    expect(firstQuery({ componentName: "o'clock" })).toContain("AND component_name = 'o''clock'");
    expect(firstQuery(undefined)).not.toContain('component_name =');
  });
});
