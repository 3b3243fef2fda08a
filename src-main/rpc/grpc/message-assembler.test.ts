import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { frameMessage, MessageAssembler } from './message-assembler.ts';

describe('the message assembler', () => {
  it('gives the messages back however the bytes were cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.uint8Array({ maxLength: 3000 }), fc.constantFrom(0, 1, 0x80)), { maxLength: 6 }),
        fc.array(fc.integer({ min: 1, max: 2000 }), { minLength: 1, maxLength: 50 }),
        (messages, cuts) => {
          const all = Buffer.concat(messages.map(([bytes, flags]) => frameMessage(bytes, flags)));
          const assembler = new MessageAssembler(10_000);
          const seen: [Uint8Array, number][] = [];
          for (let at = 0, cut = 0; at < all.length; cut++) {
            const size = cuts[cut % cuts.length] as number;
            assembler.push(all.subarray(at, at + size));
            at += size;
            for (let next = assembler.next(); next !== undefined; next = assembler.next()) {
              seen.push([Uint8Array.from(next.bytes), next.flags]);
            }
          }
          expect(seen).toEqual(messages.map(([bytes, flags]) => [Uint8Array.from(bytes), flags]));
          expect(assembler.buffered).toBe(0);
        },
      ),
    );
  });

  it('refuses a length beyond the limit as soon as the prefix is there', () => {
    for (const length of [101, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff]) {
      const assembler = new MessageAssembler(100);
      const prefix = Buffer.alloc(5);
      prefix.writeUInt32BE(length, 1);
      assembler.push(prefix);
      expect(() => assembler.next()).toThrow(
        expect.objectContaining({ code: 'call.too_large', details: { bytes: length, maxBytes: 100 } }),
      );
    }
  });

  it('takes a message of many small pieces in linear time', () => {
    const assembler = new MessageAssembler(2_000_000);
    const frame = frameMessage(new Uint8Array(1_000_000).fill(5), 0);
    let found: Buffer | undefined;
    for (let at = 0; at < frame.length; at += 10) {
      assembler.push(frame.subarray(at, at + 10));
      found = assembler.next()?.bytes ?? found;
    }
    expect(found?.equals(frame.subarray(5))).toBe(true);
  });
});
