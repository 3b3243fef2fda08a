import { BinaryWriter } from '@bufbuild/protobuf/wire';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Value } from '../../../../proto/gen/google/protobuf/struct.ts';
import { encodeMessage } from '../../../../proto/message.ts';
import { canonicalJson, parametersMessage, parametersText } from './method-parameters.ts';

const PREFIX = 'type.googleapis.com/google.protobuf.';

/** A wrapper type with its one field. */
function wrapped(type: string, write: (writer: BinaryWriter) => BinaryWriter) {
  return { typeUrl: `${PREFIX}${type}`, value: write(new BinaryWriter()).finish() };
}

describe('parameters of capture methods', () => {
  it('survive a round trip, and have the same text in any order', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.stringMatching(/^[a-z_]{1,8}$/), fc.jsonValue({ noUnicodeString: true })),
        (values) => {
          const text = canonicalJson(JSON.parse(JSON.stringify(values)));
          const message = parametersMessage(text);
          expect(parametersText(message)).toBe(text);
          const turned = Object.fromEntries(Object.entries(message).reverse());
          expect(parametersText(turned)).toBe(text);
        },
      ),
      { examples: [[JSON.parse('{"a": {"__proto__": 0}, "__proto__": 1}') as Record<string, never>]] },
    );
  });

  it('of older servers are read as wrapper types', () => {
    const text = parametersText({
      flag: wrapped('BoolValue', (writer) => writer.uint32(8).bool(true)),
      count: wrapped('Int64Value', (writer) => writer.uint32(8).int64(-7)),
      ratio: wrapped('DoubleValue', (writer) => writer.uint32(9).double(0.5)),
      name: wrapped('StringValue', (writer) => writer.uint32(10).string('pin')),
      none: wrapped('StringValue', (writer) => writer),
    });
    expect(JSON.parse(text)).toEqual({ flag: true, count: -7, ratio: 0.5, name: 'pin', none: '' });
  });

  it.each([
    [
      'a type that is no value',
      { typeUrl: `${PREFIX}Timestamp`, value: new Uint8Array(0) },
      /has the type .*Timestamp/,
    ],
    ['bytes that are none', { typeUrl: `${PREFIX}Value`, value: Uint8Array.of(0xff) }, /cannot be read/],
    ['NaN', { typeUrl: `${PREFIX}Value`, value: encodeMessage(Value, Value.wrap(NaN)) }, /is NaN/],
  ])('are refused for %s', (_what, any, message) => {
    expect(() => parametersText({ pin: any })).toThrow(
      expect.objectContaining({ code: 'call.bad_argument', message: expect.stringMatching(message) as string }),
    );
  });
});
