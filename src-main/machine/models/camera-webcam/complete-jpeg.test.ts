import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { completeJpeg } from './complete-jpeg.ts';

/** With the usual tables, as devices encode them. */
let whole: Buffer;
let bare: Buffer;
beforeAll(async () => {
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;
  const picture = sharp({ create: { width: 48, height: 32, channels: 3, background: '#000', noise } });
  whole = await picture.jpeg({ optimiseCoding: false }).toBuffer();
  bare = withoutTables(whole);
});

function withoutTables(jpeg: Buffer): Buffer {
  const kept = [jpeg.subarray(0, 2)];
  for (let at = 2; ;) {
    const next = at + 2 + jpeg.readUInt16BE(at + 2);
    if (jpeg[at + 1] === 0xda) return Buffer.concat([...kept, jpeg.subarray(at)]);
    if (jpeg[at + 1] !== 0xc4) kept.push(jpeg.subarray(at, next));
    at = next;
  }
}

describe('a picture of a device', () => {
  it('is left as it is where it has its tables', () => {
    expect(completeJpeg(whole)).toBe(whole);
  });

  it('gets the tables that it lacks, and shows the same', async () => {
    expect(bare.length).toBeLessThan(whole.length);
    const completed = completeJpeg(bare)!;
    expect(completed.length).toBe(whole.length - 3 * 4); // one segment in place of the encoder's four
    const pixels = (jpeg: Buffer) => sharp(jpeg).raw().toBuffer();
    expect(Buffer.compare(await pixels(completed), await pixels(whole))).toBe(0);
  });

  it('is none where it has no begin, no end or no scan', () => {
    expect(completeJpeg(whole.subarray(0, -2))).toBeUndefined();
    expect(completeJpeg(whole.subarray(2))).toBeUndefined();
    expect(completeJpeg(Buffer.from('ffd8ffd9', 'hex'))).toBeUndefined();
    expect(completeJpeg(Buffer.from('ffd8ffe00004', 'hex'))).toBeUndefined();
    expect(
      completeJpeg(Buffer.concat([Buffer.from('ffd8', 'hex'), Buffer.alloc(50), Buffer.from('ffd9', 'hex')])),
    ).toBe(undefined);
    expect(completeJpeg(Buffer.alloc(0))).toBeUndefined();
  });

  it('may be followed by what fills a transfer', () => {
    const padded = Buffer.concat([bare, Buffer.alloc(100)]);
    expect(completeJpeg(padded)?.subarray(0, -100)).toEqual(completeJpeg(bare));
  });
});
