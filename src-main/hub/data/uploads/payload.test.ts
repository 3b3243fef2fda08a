import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_PAYLOAD_BYTES, payloadText } from './payload.ts';

describe('the text of a reading', () => {
  it('is its JSON, for any content', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), fc.jsonValue(), { noNullPrototype: true }),
        (payload) => {
          const text = payloadText(payload, 'reading 1');
          expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(payload)));
        },
      ),
    );
  });

  it('has null for a value without a kind, as the public Python SDK sends', () => {
    const payload = { a: undefined, b: [1, undefined], c: { d: undefined } };
    expect(payloadText(payload, 'reading 1')).toBe('{"a":null,"b":[1,null],"c":{"d":null}}');
  });

  it.each([
    [{ a: NaN }, 'a', 'NaN'],
    [{ a: { b: [1, Infinity] } }, 'a.b.1', 'Infinity'],
    [{ readings: { x: null, y: -Infinity } }, 'readings.y', '-Infinity'],
  ])('is refused for %j, with the name of the field', (payload, field, value) => {
    expect(() => payloadText(payload, 'reading 3')).toThrow(
      expect.objectContaining({
        code: 'call.bad_argument',
        message: expect.stringContaining(`"${field}" of reading 3 is ${value}`) as string,
      }),
    );
  });

  it('has at most 256 KiB', () => {
    const frame = '{"a":""}'.length;
    const largest = { a: 'x'.repeat(MAX_PAYLOAD_BYTES - frame) };
    expect(payloadText(largest, 'reading 1')).toHaveLength(MAX_PAYLOAD_BYTES);
    expect(() => payloadText({ a: `${largest.a}x` }, 'reading 1')).toThrow(/262145 bytes.*binary data/);
  });
});
