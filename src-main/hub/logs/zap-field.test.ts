import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromZapField, toZapField } from './zap-field.ts';

describe('a field of a log entry', () => {
  it('has the same key and value after it was sent and read', () => {
    const values = fc.oneof(fc.jsonValue(), fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), values, (key, value) => {
        const onTheWire = JSON.parse(JSON.stringify(toZapField(key, value))) as Record<string, unknown>;
        expect(fromZapField(onTheWire)).toEqual([key, JSON.parse(JSON.stringify(value))]);
      }),
    );
  });

  // Fields that go.uber.org/zap makes for zap.Int, zap.Bool and so on, as the public server sends them.
  it.each([
    [{ Type: 4, Integer: 1, String: '', Interface: null }, true],
    [{ Type: 4, Integer: 0, String: '', Interface: null }, false],
    [{ Type: 8, Integer: 1_500_000_000, String: '', Interface: null }, '1.5s'],
    [{ Type: 9, Integer: 4_602_678_819_172_646_912, String: '0.500000', Interface: null }, 0.5],
    [{ Type: 10, Integer: 1_056_964_608, String: '', Interface: null }, 0.5],
    [{ Type: 11, Integer: 8080, String: '', Interface: null }, 8080],
    [{ Type: 21, Integer: 0, String: '', Interface: null }, 0],
    [{ Type: 15, Integer: 0, String: '', Interface: null }, ''],
    [{ Type: 16, Integer: 1_780_272_000_000_000_000, String: '', Interface: {} }, '2026-06-01T00:00:00.000Z'],
    [{ Type: 23, Integer: 0, String: '', Interface: { pins: [11, 13] } }, { pins: [11, 13] }],
    [{ Type: 0, Integer: 0, String: 'as it is', Interface: null }, 'as it is'],
    [{ String: '', Integer: 7 }, 7],
    [{}, ''],
  ])('%j: %j', (field, value) => {
    expect(fromZapField({ Key: 'it', ...field })).toEqual(['it', value]);
  });

  it('has its value under the key that its type names', () => {
    expect(toZapField('failures', 0)).toEqual({ Key: 'failures', Type: 11, Integer: 0, String: '', Interface: null });
    expect(toZapField('version', '1')).toEqual({ Key: 'version', Type: 15, Integer: 0, String: '1', Interface: null });
    expect(toZapField('load', 0.25)).toMatchObject({ Type: 9, String: '0.25' });
    expect(toZapField('isNew', true)).toMatchObject({ Type: 4, Integer: 1 });
    expect(toZapField('pins', [1])).toMatchObject({ Type: 23, Interface: [1] });
  });
});
