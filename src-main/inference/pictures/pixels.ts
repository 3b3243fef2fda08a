import type { PixelRule } from './picture-protocol.ts';
import type { InputSpec } from './input-spec.ts';
import type { Tensor } from '../tensor.ts';
import type { Size } from '../findings/detect.ts';

const CHANNELS = 3;
const LEVELS = 256;

type Elements = Uint8Array | Int8Array | Float32Array;

/**
 * The tensor of a picture, in one pass: order of the colours, values and layout. Its memory is its own.
 * @param rgb three bytes a pixel, row by row from the top, red first
 */
export function tensorOf(
  rgb: Uint8Array,
  { width, height }: Size,
  { isChannelsFirst, type, quantisation }: Pick<InputSpec, 'isChannelsFirst' | 'type' | 'quantisation'>,
  rule: PixelRule,
): Tensor {
  const count = width * height;
  const shape = isChannelsFirst ? [1, CHANNELS, height, width] : [1, height, width, CHANNELS];
  if (type === 'uint8' && !isChannelsFirst && !rule.isBgr) return { type, shape, data: Uint8Array.from(rgb) };
  const data = emptyElements(type, count * CHANNELS);
  const [apart, perChannel] = isChannelsFirst ? [1, count] : [CHANNELS, 1];
  for (let channel = 0; channel < CHANNELS; channel++) {
    const values = valuesOf(channel, type, quantisation, rule);
    let from = rule.isBgr ? CHANNELS - 1 - channel : channel;
    const start = channel * perChannel;
    for (let pixel = 0, to = start; pixel < count; pixel++, from += CHANNELS, to += apart) {
      data[to] = values[rgb[from] ?? 0] ?? 0;
    }
  }
  return { type, shape, data } as Tensor;
}

function emptyElements(type: InputSpec['type'], length: number): Elements {
  if (type === 'float32') return new Float32Array(length);
  return type === 'int8' ? new Int8Array(length) : new Uint8Array(length);
}

/** The value of each of the 256 levels of a channel, computed once for all pixels. */
function valuesOf(
  channel: number,
  type: InputSpec['type'],
  quantisation: InputSpec['quantisation'],
  { mean, deviation }: PixelRule,
): Elements {
  const values = emptyElements(type, LEVELS);
  const middle = mean[channel] ?? 0;
  const spread = deviation[channel] ?? 1;
  for (let level = 0; level < LEVELS; level++) {
    if (type === 'uint8') values[level] = level;
    else if (type === 'float32') values[level] = (level / (LEVELS - 1) - middle) / spread;
    else if (quantisation === undefined) values[level] = level - LEVELS / 2;
    else {
      const real = (level / (LEVELS - 1) - middle) / spread;
      values[level] = Math.min(127, Math.max(-128, Math.round(real / quantisation.scale + quantisation.zeroPoint)));
    }
  }
  return values;
}
