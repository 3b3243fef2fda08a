import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { multipartPictures } from './multipart.ts';

const boundary = '--ffmpeg\r\n';
const part = (picture: Uint8Array): Buffer =>
  Buffer.concat([
    Buffer.from(`Content-type: image/jpeg\r\nContent-length: ${picture.length}\r\n\r\n`),
    picture,
    Buffer.from(`\r\n${boundary}`),
  ]);

async function* streamOf(bytes: Buffer, pieces: readonly number[]): AsyncGenerator<Buffer> {
  for (let at = 0, index = 0; at < bytes.length; index++) {
    const length = pieces.length === 0 ? bytes.length : (pieces[index % pieces.length] ?? 1);
    yield bytes.subarray(at, (at += length));
  }
}

async function picturesOf(bytes: Buffer, pieces: readonly number[] = [], mostBytes = 1_000): Promise<Buffer[]> {
  const found: Buffer[] = [];
  for await (const picture of multipartPictures(streamOf(bytes, pieces), mostBytes)) found.push(Buffer.from(picture));
  return found;
}

describe('the pictures of a stream', () => {
  it('come out as they went in, in whatever pieces the stream comes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ minLength: 1, maxLength: 300 }), { maxLength: 5 }),
        fc.array(fc.integer({ min: 1, max: 200 }), { maxLength: 10 }),
        async (pictures, pieces) => {
          const stream = Buffer.concat([Buffer.from(boundary), ...pictures.map(part)]);
          expect(await picturesOf(stream, pieces)).toEqual(pictures.map((picture) => Buffer.from(picture)));
        },
      ),
    );
  });

  it('may look like what stands between them', async () => {
    const picture = Buffer.from(`\r\n\r\n${boundary}Content-length: 5\r\n\r\nABCDE`);
    expect(await picturesOf(Buffer.concat([Buffer.from(boundary), part(picture), part(picture)]), [7])).toEqual([
      picture,
      picture,
    ]);
  });

  it('are left out where the stream ends in the middle of one', async () => {
    const stream = Buffer.concat([Buffer.from(boundary), part(Buffer.from('one')), part(Buffer.from('two'))]);
    expect((await picturesOf(stream.subarray(0, -boundary.length - 3))).map(String)).toEqual(['one']);
  });

  it('are refused where one is too large, and where they are none', async () => {
    await expect(picturesOf(part(Buffer.alloc(11)), [], 10)).rejects.toThrow('has 11 bytes; at most 10');
    await expect(picturesOf(Buffer.alloc(2_000, 'x'), [500])).rejects.toThrow('not in the format mpjpeg');
    await expect(picturesOf(Buffer.from('Content-type: image/jpeg\r\n\r\n'))).rejects.toThrow('not in the format');
  });
});
