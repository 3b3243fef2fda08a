import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvLine } from '../../../shared/files/csv-line.ts';
import { CsvColumns } from './csv.ts';

/** A strict parser of RFC 4180. */
function parse(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < text.length) {
    let field = '';
    if (text[at] === '"') {
      for (at++; text[at] !== '"' || text[at + 1] === '"'; at++) {
        if (text[at] === '"') at++;
        field += text[at];
      }
      at++;
    } else {
      for (; at < text.length && !',\r\n"'.includes(text[at] ?? ''); at++) field += text[at];
    }
    row.push(field);
    if (text[at] === ',') at++;
    else {
      if (text.slice(at, at + 2) !== '\r\n') throw new Error(`no end of line at ${at} of ${JSON.stringify(text)}`);
      at += 2;
      rows.push(row);
      row = [];
    }
  }
  return rows;
}

describe('a CSV file', () => {
  it('can be read back with every text', () => {
    const field = fc.string({ unit: fc.constantFrom('a', '"', ',', '\r', '\n', ' ', 'é', '=') });
    fc.assert(
      fc.property(fc.array(fc.array(field, { minLength: 1 }), { minLength: 1 }), (rows) => {
        expect(parse(rows.map(csvLine).join(''))).toEqual(rows);
      }),
    );
  });

  it('has one column for each field path, and times in UTC', () => {
    const columns = new CsvColumns();
    expect(columns.add({ readings: { c: 21.5, gps: { lat: 1 } } })).toBe(2);
    expect(columns.add({ readings: { c: 21.5, 'door.open': true } })).toBe(1);
    const lines = [
      columns.header(),
      columns.line({ at: 0, payload: { readings: { c: -0.5, gps: { lat: 1e21 } } } }),
      columns.line({ at: 1, payload: { readings: { 'door.open': false, c: null } } }),
      columns.line({ at: 2, payload: { readings: { c: 'warm, "dry"' } } }),
    ];
    expect(lines.join('')).toBe(
      'time,readings.c,readings.gps.lat,"readings[""door.open""]"\r\n' +
        '1970-01-01T00:00:00.000Z,-0.5,1e+21,\r\n' +
        '1970-01-01T00:00:00.001Z,,,false\r\n' +
        '1970-01-01T00:00:00.002Z,"warm, ""dry""",,\r\n',
    );
  });

  it('does not take a reading with a field that has no column', () => {
    const columns = new CsvColumns();
    columns.add({ a: 1 });
    expect(columns.line({ at: 0, payload: { a: 1, b: 2 } })).toBeUndefined();
  });
});
