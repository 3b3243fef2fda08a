import { BinaryWriter } from '@bufbuild/protobuf/wire';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFirstField } from './first-field.ts';
import { echoType } from '../testing/echo-service.ts';

describe('the first field of a message', () => {
  it('is found wherever it stands and whatever stands around it, as the decoder finds it', () => {
    const field = fc.oneof(
      fc.tuple(fc.constant('name'), fc.string({ unit: 'binary' })),
      fc.tuple(fc.constant('number'), fc.integer({ min: 0, max: 0xffff_ffff })),
      fc.tuple(fc.constant('double'), fc.double()),
      fc.tuple(fc.constant('float'), fc.float()),
      fc.tuple(fc.constant('bytes'), fc.uint8Array({ maxLength: 300 })),
      fc.tuple(fc.constant('group'), fc.integer({ min: 0, max: 300 })),
    );
    fc.assert(
      fc.property(fc.array(field, { maxLength: 8 }), (fields) => {
        const writer = new BinaryWriter();
        for (const [kind, value] of fields) {
          if (kind === 'name') writer.uint32(10).string(value);
          else if (kind === 'number') writer.uint32(9 << 3).uint32(value);
          else if (kind === 'double') writer.uint32((10 << 3) | 1).double(value);
          else if (kind === 'float') writer.uint32((11 << 3) | 5).float(value);
          else if (kind === 'bytes') writer.uint32((99 << 3) | 2).bytes(value);
          else
            writer
              .uint32((12 << 3) | 3)
              .uint32(1 << 3)
              .uint32(value)
              .uint32((12 << 3) | 4);
        }
        const bytes = writer.finish();
        expect(readFirstField(bytes)).toBe(echoType.decode(bytes).name);
      }),
    );
  });

  it('is empty where it is absent', () => {
    expect(readFirstField(new Uint8Array())).toBe('');
  });

  it('is refused in bytes that are no message, and never read past the end', () => {
    for (const bytes of [[0x0a], [0x0a, 5, 65], [0x12, 0x80], [0x0b, 0x08], [0x0f], Array(20).fill(0xff)]) {
      expect(() => readFirstField(Uint8Array.from(bytes as number[]))).toThrow(/not a readable protobuf message/);
    }
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        try {
          expect(typeof readFirstField(bytes)).toBe('string');
        } catch (thrown) {
          expect(thrown).toMatchObject({ code: 'call.bad_argument' });
        }
      }),
    );
  });
});
