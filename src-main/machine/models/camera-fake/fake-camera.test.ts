import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { TestBench } from '../bench.fixture.ts';
import type { Camera } from '../../../apis/camera.ts';

const build = (attributes: object, bench = new TestBench()): Promise<Camera> =>
  bench.build<Camera>('core:component:camera', 'fake', 'eye', attributes);

async function bytesOf(camera: Camera): Promise<Uint8Array> {
  const { images } = await camera.images([]);
  return images[0]!.bytes;
}

/** The sides of each box in pixels: left, top, right, bottom. */
async function boxesOf(camera: Camera, width: number, height: number): Promise<readonly (readonly number[])[]> {
  const { boxes } = (await camera.doCommand?.({ truth: true })) as { boxes: Readonly<Record<string, number>>[] };
  const sides = ['x_min', 'y_min', 'x_max', 'y_max'] as const;
  return boxes.map((box) =>
    sides.map((side) => Math.round((box[`${side}_normalized`] ?? NaN) * (side.startsWith('x') ? width : height))),
  );
}

/** Where a picture is coloured: the background is nearly grey. */
async function colouredPixels(picture: Uint8Array): Promise<readonly (readonly [x: number, y: number])[]> {
  const { data, info } = await sharp(picture).raw().toBuffer({ resolveWithObject: true });
  const found: [number, number][] = [];
  for (let pixel = 0; pixel < info.width * info.height; pixel++) {
    const rgb = data.subarray(pixel * info.channels, pixel * info.channels + 3);
    if (Math.max(...rgb) - Math.min(...rgb) > 60) found.push([pixel % info.width, Math.floor(pixel / info.width)]);
  }
  return found;
}

describe('fake camera', () => {
  it('tells the boxes of its last picture, and the pixels are where they say', async () => {
    const bench = new TestBench();
    const camera = await build({ width: 320, height: 200, shapes: 4, seed: 3, format: 'png' }, bench);
    for (let round = 0; round < 3; round++) {
      bench.clock.advance(1_300);
      const pixels = await colouredPixels(await bytesOf(camera));
      const boxes = await boxesOf(camera, 320, 200);
      expect(boxes).toHaveLength(4);
      let inside = 0;
      for (const [left = NaN, top = NaN, right = NaN, bottom = NaN] of boxes) {
        const within = pixels.filter(([x, y]) => x >= left && x < right && y >= top && y < bottom);
        inside += within.length;
        const [xs, ys] = [within.map(([x]) => x), within.map(([, y]) => y)];
        const found = [Math.min(...xs), Math.min(...ys), Math.max(...xs) + 1, Math.max(...ys) + 1];
        // The edge of a circle is blurred.
        const off = found.map((side, index) => Math.abs(side - ([left, top, right, bottom][index] ?? NaN)));
        expect(Math.max(...off)).toBeLessThanOrEqual(1);
      }
      expect(inside).toBe(pixels.length);
    }
  });

  it('makes the same pictures of the same seed at the same time', async () => {
    const attributes = { width: 64, height: 48, seed: 5 };
    const [one, same, other] = await Promise.all([
      build(attributes),
      build(attributes),
      build({ ...attributes, seed: 6 }),
    ]);
    expect(Buffer.compare(await bytesOf(one), await bytesOf(same))).toBe(0);
    expect(Buffer.compare(await bytesOf(one), await bytesOf(other))).not.toBe(0);
  });

  it('makes a new picture as often as its frame rate says, and says when', async () => {
    const bench = new TestBench();
    const camera = await build({ width: 64, height: 48, frame_rate: 4 }, bench);
    const first = await camera.images([]);
    bench.clock.advance(200);
    expect(await camera.images([])).toEqual(first);
    bench.clock.advance(100);
    const next = await camera.images([]);
    expect(next.capturedAt!.getTime() - first.capturedAt!.getTime()).toBe(250);
    expect(Buffer.compare(next.images[0]!.bytes, first.images[0]!.bytes)).not.toBe(0);
  });

  it('sees the same for ever where nothing is to move, and says that it looked again', async () => {
    const bench = new TestBench();
    const camera = await build({ width: 64, height: 48, animated: false }, bench);
    const first = await camera.images([]);
    bench.clock.advance(60_000);
    const later = await camera.images([]);
    expect(later.images[0]!.bytes).toBe(first.images[0]!.bytes);
    expect(later.capturedAt!.getTime() - first.capturedAt!.getTime()).toBe(60_000);
  });

  it('has the size and format that it says', async () => {
    for (const format of ['jpeg', 'png'] as const) {
      const camera = await build({ width: 100, height: 60, format, shapes: 0 });
      const { images } = await camera.images(['color']);
      expect(images).toMatchObject([{ sourceName: 'color', mimeType: `image/${format}` }]);
      expect(await sharp(images[0]!.bytes).metadata()).toMatchObject({ width: 100, height: 60, format });
      expect(await camera.properties()).toEqual({
        isPointCloudSupported: false,
        mimeTypes: [`image/${format}`],
        frameRate: 10,
      });
    }
  });

  it('refuses sources that it does not have, commands that it does not know, and the truth of no picture', async () => {
    const camera = await build({});
    await expect(camera.images(['depth', 'color', 'heat'])).rejects.toMatchObject({
      code: 'call.bad_argument',
      message: '"eye": filter_source_names is "depth, heat"; allowed is color.',
    });
    await expect(camera.doCommand?.({ truth: true })).rejects.toMatchObject({ code: 'call.failed_precondition' });
    await expect(camera.doCommand?.({ lies: true })).rejects.toMatchObject({ code: 'call.bad_argument' });
  });
});
