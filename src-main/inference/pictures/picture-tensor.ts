import sharp, { type Sharp } from 'sharp';
import type { PictureResponse, PictureRequest } from './picture-protocol.ts';
import { tensorOf } from './pixels.ts';
import { ArmatureError } from '../../base/errors.ts';

// Only a thread or a process that is for pictures may import this file: the pixels take milliseconds, in which other
// calls would wait.

/** Every picture is different, so a cache would never be used. */
sharp.cache(false);

/** Limit for a picture of few bytes that decodes to many pixels. */
const MAX_PIXELS = 64 * 1024 * 1024;
/** As the public ecosystem sends pixels that are not encoded: `RGBA`, width and height (32 bits each), and four bytes a pixel. */
const RAW = 'image/vnd.viam.rgba';
const RAW_HEADER_BYTES = 12;

/** The tensor of an encoded picture. @throws {ArmatureError} `call.bad_argument` for a damaged or unknown picture */
export async function tensorOfPicture({ bytes, mimeType, spec, rule }: PictureRequest): Promise<PictureResponse> {
  try {
    const picture = mimeType.startsWith(RAW) ? rawPicture(bytes) : sharp(bytes, { limitInputPixels: MAX_PIXELS });
    const { width, height } = await picture.metadata();
    const size = { width, height };
    const resized = { width: spec.width ?? width, height: spec.height ?? height };
    const rgb = picture.flatten({ background: '#000000' }).toColourspace('srgb');
    const isRight = resized.width === width && resized.height === height;
    const pixels = await (isRight ? rgb : rgb.resize({ ...resized, fit: 'fill', kernel: 'linear' }))
      .raw({ depth: 'uchar' })
      .toBuffer();
    return { tensor: tensorOf(pixels, resized, spec, rule), size };
  } catch (thrown) {
    if (thrown instanceof ArmatureError) throw thrown;
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new ArmatureError(
      'call.bad_argument',
      `the picture (${bytes.length} bytes, ${mimeType || 'no type'}) cannot be read: ${reason}`,
    );
  }
}

function rawPicture(bytes: Uint8Array): Sharp {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isRaw = bytes.length >= RAW_HEADER_BYTES && Buffer.from(bytes.subarray(0, 4)).toString('latin1') === 'RGBA';
  const [width, height] = isRaw ? [view.getUint32(4), view.getUint32(8)] : [0, 0];
  if (width === 0 || height === 0 || width * height * 4 !== bytes.length - RAW_HEADER_BYTES) {
    const message = `a picture of type ${RAW} is ${bytes.length} bytes: wanted are a header of ${RAW_HEADER_BYTES} bytes and four bytes for each of its pixels`;
    throw new ArmatureError('call.bad_argument', message);
  }
  return sharp(bytes.subarray(RAW_HEADER_BYTES), { raw: { width, height, channels: 4 } });
}
