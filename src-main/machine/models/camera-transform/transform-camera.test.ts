import sharp from 'sharp';
import { beforeEach, describe, expect, it } from 'vitest';
import { TestBench } from '../bench.fixture.ts';
import type { Camera, NamedImage } from '../../../apis/camera.ts';
import type { Vision } from '../../../apis/vision.ts';
import type { Classification, Detection } from '../../../inference/findings/finding.ts';
import { ArmatureError } from '../../../base/errors.ts';

let bench: TestBench;
let shown: readonly NamedImage[];
const at = new Date('2026-01-02T03:04:05Z');
/** The calls to vision services: size and format of each picture, as stated and as they are. */
let asked: string[];
let found: readonly Detection[];
let classes: readonly Classification[];

/** Left half red, right half blue. */
async function twoHalves(width: number, height: number): Promise<Buffer> {
  const half = { create: { width: width / 2, height, channels: 3, background: '#0000ff' } } as const;
  return sharp({ create: { width, height, channels: 3, background: '#ff0000' } })
    .composite([{ input: half, left: width / 2, top: 0 }])
    .png()
    .toBuffer();
}

beforeEach(async () => {
  bench = new TestBench();
  asked = [];
  found = [];
  classes = [];
  shown = [{ sourceName: 'color', mimeType: 'image/png', bytes: await twoHalves(100, 60) }];
  const source: Partial<Camera> = {
    name: 'eye',
    images: async () => ({ images: shown, capturedAt: at }),
    properties: async () => ({ isPointCloudSupported: false, mimeTypes: [], frameRate: 7 }),
  };
  const look = async (bytes: Uint8Array, mimeType: string, width: number, height: number): Promise<void> => {
    const { format, ...size } = await sharp(bytes).metadata();
    asked.push(`${mimeType} ${width}x${height}, ${format} ${size.width}x${size.height}`);
  };
  const vision: Partial<Vision> = {
    name: 'find',
    detections: async (bytes, mimeType, width, height) => {
      await look(bytes, mimeType, width, height);
      return found;
    },
    classifications: async (bytes, mimeType, count, width, height) => {
      await look(bytes, mimeType, width, height);
      return classes.slice(0, count);
    },
  };
  bench.add(source as Camera);
  bench.add(vision as Vision);
});

const cameraOf = (...pipeline: readonly object[]): Promise<Camera> =>
  bench.build<Camera>('core:component:camera', 'transform', 'other', { source: 'eye', pipeline });

async function pictureOf(camera: Camera) {
  const { images } = await camera.images([]);
  const [image] = images;
  const { data, info } = await sharp(image!.bytes).raw().toBuffer({ resolveWithObject: true });
  const colour = (x: number, y: number): string => {
    const start = (y * info.width + x) * info.channels;
    const [red = 0, green = 0, blue = 0] = data.subarray(start, start + 3);
    if (red > 200 && green < 60 && blue < 60) return 'red';
    if (blue > 200 && red < 60 && green < 60) return 'blue';
    return red + green + blue < 60 ? 'black' : 'other';
  };
  return { width: info.width, height: info.height, mimeType: image!.mimeType, colour };
}
/** The area that has neither of the two colours: left, top, right, bottom. */
async function drawnBox(camera: Camera): Promise<readonly number[]> {
  const { width, height, colour } = await pictureOf(camera);
  const xs: number[] = [];
  const ys: number[] = [];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      // JPEG blends the halves where they meet.
      if (colour(x, y) !== 'other' || Math.abs(x - width / 2) < 16) continue;
      xs.push(x);
      ys.push(y);
    }
  }
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs) + 1, Math.max(...ys) + 1];
}

describe('camera transform', () => {
  it('cuts, stretches and turns, in the order of its steps', async () => {
    const camera = await cameraOf(
      { type: 'crop', attributes: { x_min_px: 20, y_min_px: 10, x_max_px: 80, y_max_px: 40 } },
      { type: 'resize', attributes: { width_px: 128, height_px: 64 } },
      { type: 'rotate' },
    );
    const { width, height, mimeType, colour } = await pictureOf(camera);
    expect([width, height, mimeType]).toEqual([128, 64, 'image/jpeg']);
    expect([colour(10, 32), colour(118, 32)]).toEqual(['blue', 'red']);
    const { images, capturedAt } = await camera.images(['other']);
    expect(images.map(({ sourceName }) => sourceName)).toEqual(['other']);
    expect(capturedAt).toEqual(at);
    await expect(camera.images(['color'])).rejects.toMatchObject({ code: 'call.bad_argument' });
  });

  it('turns clockwise, and makes corners black that come into the picture', async () => {
    const quarter = await pictureOf(await cameraOf({ type: 'rotate', attributes: { angle_degs: 90 } }));
    expect([quarter.width, quarter.height]).toEqual([60, 100]);
    expect([quarter.colour(30, 10), quarter.colour(30, 90)]).toEqual(['red', 'blue']);
    const slanted = await pictureOf(await cameraOf({ type: 'rotate', attributes: { angle_degs: 30 } }));
    expect(slanted.width).toBeGreaterThan(100);
    expect(slanted.colour(1, 1)).toBe('black');
  });

  it('draws the box of a crop instead of cutting', async () => {
    const box = { x_min_px: 4, y_min_px: 20, x_max_px: 96, y_max_px: 52, overlay_crop_box: true };
    const camera = await cameraOf({ type: 'crop', attributes: box });
    const { width, height, colour } = await pictureOf(camera);
    expect([width, height, colour(30, 40)]).toEqual([100, 60, 'red']);
    const [left = 0, , right = 0, bottom = 0] = await drawnBox(camera);
    // JPEG blurs by one block at most.
    expect([left, right, bottom].map((side, index) => Math.abs(side - [4, 96, 52][index]!) <= 8)).toEqual([
      true,
      true,
      true,
    ]);
  });

  it('draws what a detector finds in its picture, by pixels or by shares', async () => {
    const camera = await cameraOf(
      { type: 'resize', attributes: { width_px: 400, height_px: 240 } },
      { type: 'detections', attributes: { detector_name: 'find', confidence_threshold: 0.5, valid_labels: ['Cup'] } },
    );
    const pixels = { xMin: 240, yMin: 80, xMax: 380, yMax: 200 };
    const shares = { xMin: 0.6, yMin: 80 / 240, xMax: 0.95, yMax: 200 / 240 };
    const others = [
      { label: 'cup', confidence: 0.49, pixels: { xMin: 0, yMin: 0, xMax: 400, yMax: 240 } },
      { label: 'hand', confidence: 0.9, pixels: { xMin: 0, yMin: 0, xMax: 400, yMax: 240 } },
      { label: 'cup', confidence: 0.9, pixels: { xMin: 500, yMin: 0, xMax: 600, yMax: 240 } },
      { label: 'cup', confidence: 0.9, shares: { xMin: NaN, yMin: NaN, xMax: 1, yMax: 1 } },
      { label: 'cup', confidence: 0.9 },
    ];
    for (const where of [{ pixels }, { shares }]) {
      found = [{ label: 'cup', confidence: 0.93, ...where }, ...others];
      const [left = 0, top = 0, right = 0, bottom = 0] = await drawnBox(camera);
      // Including the label above it, 12 pixels high.
      const off = [left - 240, top - 68, right - 380, bottom - 200].map(Math.abs);
      expect(Math.max(...off)).toBeLessThanOrEqual(8);
      expect((await pictureOf(camera)).colour(310, 140)).toBe('blue');
    }
    expect(new Set(asked)).toEqual(new Set(['image/jpeg 400x240, jpeg 400x240']));
  });

  it('writes the most likely labels at the upper left', async () => {
    classes = [
      { label: 'full', confidence: 0.9 },
      { label: 'empty', confidence: 0.4 },
    ];
    const heights = [];
    for (const max_classifications of [undefined, 0, 2]) {
      const attributes = { classifier_name: 'find', ...(max_classifications !== undefined && { max_classifications }) };
      const [left, top, , bottom] = await drawnBox(await cameraOf({ type: 'classifications', attributes }));
      expect([left, top]).toEqual([0, 0]);
      heights.push(Math.round(bottom! / 12));
    }
    expect(heights).toEqual([1, 1, 2]);
  });

  it('passes a picture on as it came where nothing is found, and shows it so to who looks', async () => {
    const camera = await cameraOf(
      { type: 'detections', attributes: { detector_name: 'find' } },
      { type: 'classifications', attributes: { classifier_name: 'find' } },
    );
    const { images } = await camera.images([]);
    expect(images).toEqual([{ ...shown[0], sourceName: 'other' }]);
    expect(asked).toEqual(['image/png 100x60, png 100x60', 'image/png 100x60, png 100x60']);
  });

  it('draws labels that are no text for an SVG', async () => {
    const label = '</text><script>&amp;\u0000\ud800 ' + 'x'.repeat(300);
    found = [{ label, confidence: 1, shares: { xMin: 0, yMin: 0, xMax: 1, yMax: 1 } }];
    const camera = await cameraOf({ type: 'detections', attributes: { detector_name: 'find' } });
    expect(await pictureOf(camera)).toMatchObject({ width: 100, height: 60 });
  });

  it('takes the first picture that it can decode, and tells the rate of its camera', async () => {
    const depth = { sourceName: 'depth', mimeType: 'image/vnd.viam.dep', bytes: Buffer.of(1) };
    shown = [depth, ...shown];
    const camera = await cameraOf({ type: 'rotate' });
    expect((await pictureOf(camera)).colour(10, 30)).toBe('blue');
    expect(await camera.properties()).toMatchObject({ frameRate: 7, isPointCloudSupported: false });
    shown = [depth];
    await expect(camera.images([])).rejects.toMatchObject({
      code: 'call.failed_precondition',
      message: 'Camera "other": its source "eye" gives image/vnd.viam.dep; it takes JPEG or PNG.',
    });
  });

  it('names the step that cannot do its work', async () => {
    const outside = await cameraOf(
      { type: 'rotate' },
      { type: 'crop', attributes: { x_min_px: 100, y_min_px: 0, x_max_px: 120, y_max_px: 9 } },
    );
    await expect(outside.images([])).rejects.toMatchObject({
      code: 'call.failed_precondition',
      message:
        'Camera "other": step 2, crop: nothing of the picture, which is 100 × 60, is in the box 100, 0 to 120, 9.',
    });
    bench.add({
      name: 'find',
      detections: () => Promise.reject(new ArmatureError('resource.not_ready', 'Its model is being loaded.')),
    } as never);
    const looking = await cameraOf({ type: 'detections', attributes: { detector_name: 'find' } });
    await expect(looking.images([])).rejects.toMatchObject({
      code: 'resource.not_ready',
      message: 'Camera "other": step 1, detections: Its model is being loaded.',
    });
    const depth = await sharp(new Uint16Array(8 * 8), { raw: { width: 8, height: 8, channels: 1 } })
      .toColourspace('grey16')
      .png()
      .toBuffer();
    shown = [{ sourceName: 'color', mimeType: 'image/png', bytes: depth }];
    const turning = await cameraOf({ type: 'rotate' });
    await expect(turning.images([])).rejects.toThrow('step 1, rotate: it has more than 8 bits a channel');
    shown = [{ sourceName: 'color', mimeType: 'image/jpeg', bytes: Buffer.from('ffd8ffd9', 'hex') }];
    await expect(turning.images([])).rejects.toThrow('Camera "other": step 1, rotate: ');
  });
});
