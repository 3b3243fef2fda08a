import sharp, { type Sharp } from 'sharp';
import type { PictureSize } from './rules.ts';

/** Every picture is different, so a cache would never be used. */
sharp.cache(false);

const JPEG_QUALITY = 85;
/** A small file may unpack to more than fits into memory. */
const MAX_PIXELS = 64 * 1024 * 1024;

/** Pixels of three bytes, red, green and blue. */
export interface Pixels extends PictureSize {
  readonly data: Buffer;
}

export interface EncodedPicture {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
}

/** A picture between two steps. It is decoded for drawing and encoded for viewing, each at most once. */
export class Frame {
  #pixels: Promise<Pixels> | undefined;
  #encoded: Promise<EncodedPicture> | undefined;

  private constructor(from: { pixels?: Promise<Pixels>; encoded?: Promise<EncodedPicture> }) {
    this.#pixels = from.pixels;
    this.#encoded = from.encoded;
  }

  /** From a JPEG or PNG. */
  static encoded(picture: EncodedPicture): Frame {
    return new Frame({ encoded: Promise.resolve(picture) });
  }

  /** @throws {Error} if it is damaged, or has 16 bits per channel, as depth pictures do */
  pixels(): Promise<Pixels> {
    this.#pixels ??= this.encoded().then(({ bytes }) => decode(bytes));
    return this.#pixels;
  }

  encoded(): Promise<EncodedPicture> {
    this.#encoded ??= this.pixels().then(async (pixels) => ({
      bytes: await sharpOf(pixels).jpeg({ quality: JPEG_QUALITY }).toBuffer(),
      mimeType: 'image/jpeg',
    }));
    return this.#encoded;
  }

  /** A new frame, made from its pixels. */
  async changed(change: (picture: Sharp) => Sharp): Promise<Frame> {
    return new Frame({ pixels: Promise.resolve(await pixelsOf(change(sharpOf(await this.pixels())))) });
  }
}

function sharpOf({ data, width, height }: Pixels): Sharp {
  return sharp(data, { raw: { width, height, channels: 3 } });
}

async function decode(bytes: Uint8Array): Promise<Pixels> {
  const picture = sharp(bytes, { limitInputPixels: MAX_PIXELS });
  const { depth } = await picture.metadata();
  if (depth !== 'uchar') throw new Error('it has more than 8 bits a channel, as pictures of depth do');
  return pixelsOf(picture.flatten());
}

async function pixelsOf(picture: Sharp): Promise<Pixels> {
  const { data, info } = await picture.removeAlpha().toColourspace('srgb').raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}
