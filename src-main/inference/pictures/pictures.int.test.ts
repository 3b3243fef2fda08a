import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InputSpec } from './input-spec.ts';
import { Pictures } from './pictures.ts';

interface GoldenCase {
  readonly name: string;
  readonly mimeType: string;
  readonly picture: string;
  /** Width and height of the tensor. */
  readonly size: readonly [number, number];
  readonly spec: {
    readonly type: 'uint8' | 'float32';
    readonly channelsFirst?: boolean;
    readonly bgr?: boolean;
    readonly mean?: readonly number[];
    readonly deviation?: readonly number[];
  };
  readonly shape: readonly number[];
  readonly tolerance: number;
  readonly data: string;
}

const golden = JSON.parse(readFileSync(new URL('testing/golden.json', import.meta.url), 'utf8')) as GoldenCase[];
const half = [0.5, 0.5, 0.5];
const rule = { isBgr: false, mean: half, deviation: half };
const spec: InputSpec = {
  ...{ name: 'image', width: undefined, height: undefined, isChannelsFirst: false, type: 'uint8' },
  quantisation: undefined,
};

describe('tensors of pictures', () => {
  let pictures: Pictures;

  beforeAll(() => {
    pictures = new Pictures();
  });

  afterAll(() => pictures.close());

  it.each(golden)('are those that Python works out: $name', async (one) => {
    const [width, height] = one.size;
    const { tensor } = await pictures.tensorOf({
      bytes: Buffer.from(one.picture, 'base64'),
      mimeType: one.mimeType,
      spec: { ...spec, width, height, isChannelsFirst: one.spec.channelsFirst ?? false, type: one.spec.type },
      rule: { isBgr: one.spec.bgr ?? false, mean: one.spec.mean ?? half, deviation: one.spec.deviation ?? half },
    });
    const { buffer } = Uint8Array.from(Buffer.from(one.data, 'base64'));
    const expected = one.spec.type === 'float32' ? new Float32Array(buffer) : new Uint8Array(buffer);
    expect([tensor.type, tensor.shape, tensor.data.length]).toEqual([one.spec.type, one.shape, expected.length]);
    const found = tensor.data as Float32Array | Uint8Array;
    // Half of the last bit of a float: what is worked out in doubles is rounded once there and once here.
    const allowed = one.spec.type === 'float32' ? 1e-6 : one.tolerance;
    const apart = Array.from(expected, (value, at) => Math.abs(value - (found[at] ?? NaN)));
    const largest = Math.max(...apart);
    expect(largest).toBeLessThanOrEqual(allowed);
  });

  it('keep the size of a picture where a model takes any, and tell it', async () => {
    const [{ picture = '' } = {}] = golden;
    const bytes = Buffer.from(picture, 'base64');
    const { tensor, size } = await pictures.tensorOf({ bytes, mimeType: 'image/png', spec, rule });
    expect([size, tensor.shape]).toEqual([{ width: 16, height: 12 }, [1, 12, 16, 3]]);
  });

  it('are made of pixels that are not encoded', async () => {
    const bytes = Buffer.alloc(12 + 2 * 4);
    bytes.write('RGBA');
    bytes.writeUInt32BE(2, 4);
    bytes.writeUInt32BE(1, 8);
    bytes.set([1, 2, 3, 255, 4, 5, 6, 255], 12);
    const mimeType = 'image/vnd.viam.rgba';
    const { tensor } = await pictures.tensorOf({ bytes, mimeType, spec, rule });
    expect([tensor.shape, [...tensor.data]]).toEqual([
      [1, 1, 2, 3],
      [1, 2, 3, 4, 5, 6],
    ]);
    await expect(pictures.tensorOf({ bytes: bytes.subarray(0, 15), mimeType, spec, rule })).rejects.toMatchObject({
      code: 'call.bad_argument',
    });
  });

  it.each([
    ['text', Buffer.from('no picture at all')],
    ['nothing', Buffer.alloc(0)],
    ['half a picture', Buffer.from(golden[0]?.picture ?? '', 'base64').subarray(0, 300)],
  ])('are not made of %s, and the next picture is seen all the same', async (_what, bytes) => {
    await expect(pictures.tensorOf({ bytes, mimeType: 'image/png', spec, rule })).rejects.toMatchObject({
      code: 'call.bad_argument',
      message: expect.stringContaining(`the picture (${bytes.length} bytes, image/png) cannot be read: `) as string,
    });
    const good = Buffer.from(golden[0]?.picture ?? '', 'base64');
    expect((await pictures.tensorOf({ bytes: good, mimeType: 'image/png', spec, rule })).size.width).toBe(16);
  });

  it('share one thread, which goes on until its last user is closed', async () => {
    const other = new Pictures();
    const good = Buffer.from(golden[0]?.picture ?? '', 'base64');
    const see = (by: Pictures) => by.tensorOf({ bytes: good, mimeType: '', spec, rule });
    await see(other);
    await other.close();
    await other.close();
    expect((await see(pictures)).size.width).toBe(16);
  });
});
