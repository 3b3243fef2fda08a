import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addressOf,
  isNarrowed,
  MAX_PLOTS,
  placeOfQuery,
  placeOfSource,
  readAddress,
  type DataPlace,
} from './data-address.ts';

const source = {
  partId: 'p1',
  componentType: 'core:component:sensor',
  componentName: 'climate',
  methodName: 'Readings',
};
const readings = placeOfSource('', { ...source, isBinary: false });

describe('the address of the data screen', () => {
  it('is read back as the same place', () => {
    const time = fc.option(fc.integer({ min: 0, max: 4e12 }), { nil: undefined });
    const word = fc.string({ minLength: 1 });
    const place = fc.record<DataPlace>({
      search: fc.string(),
      source: fc.record({
        partId: word,
        componentType: fc.string(),
        componentName: fc.string(),
        methodName: fc.string(),
        isBinary: fc.boolean(),
      }),
      from: time,
      to: time,
      tags: fc.uniqueArray(word),
      fields: fc.uniqueArray(fc.array(fc.string(), { minLength: 1 }), {
        maxLength: MAX_PLOTS,
        selector: (path) => JSON.stringify(path),
      }),
      picture: fc.string(),
    });
    fc.assert(
      fc.property(place, (wanted) => {
        expect(readAddress(addressOf(wanted))).toEqual({ place: wanted, problems: [] });
      }),
    );
  });

  it('of a query has its text and no source', () => {
    const place = placeOfQuery('press', "SELECT 1\nFROM readings WHERE component_name = 'a&b'");
    expect(readAddress(addressOf(place))).toEqual({ place, problems: [] });
    expect(readAddress({ sql: '', source: 'p1' }).place).toEqual(placeOfQuery('', ''));
  });

  it('has only what was chosen', () => {
    expect(addressOf({ ...readings, source: undefined, from: 5 })).toEqual({});
    expect(addressOf({ ...readings, tags: ['dusk'], fields: [['readings', 'a/b']] })).toEqual({
      source: 'p1',
      type: 'core:component:sensor',
      name: 'climate',
      method: 'Readings',
      tag: ['dusk'],
      field: ['/readings/a~1b'],
    });
  });

  it('reports what is invalid, and reads the rest', () => {
    const { place, problems } = readAddress({
      source: 'p1',
      from: 'yesterday',
      field: ['no pointer', '/a'],
      tag: null,
    });
    expect(place).toMatchObject({ from: undefined, fields: [['a']], tags: [] });
    expect(problems).toEqual([{ key: 'from', found: 'yesterday' }]);
  });

  it('is narrowed by a time or by tags', () => {
    expect([
      isNarrowed(readings),
      isNarrowed({ ...readings, to: 1 }),
      isNarrowed({ ...readings, tags: ['a'] }),
    ]).toEqual([false, true, true]);
  });
});
