/**
 * JPEGs converted to floats, ours and by a plain loop, in one process. `tensor-process.ts PICTURE`; replies to each
 * message `{ way, count }` with the time for one picture, in ms.
 */
import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import type { InputSpec } from '../../../src-main/inference/pictures/input-spec.ts';
import { Pictures } from '../../../src-main/inference/pictures/pictures.ts';
import { DEVIATION, MEAN, planesOf } from './plain-loop.ts';

export interface TensorQuestion {
  readonly way: 'ours' | 'loop';
  readonly count: number;
}

const [file = ''] = process.argv.slice(2);
const bytes = new Uint8Array(readFileSync(file));
sharp.cache(false);
const pictures = new Pictures();
const spec: InputSpec = {
  ...{ name: 'image', width: undefined, height: undefined, isChannelsFirst: true },
  ...{ type: 'float32', quantisation: undefined },
};
const rule = { isBgr: false, mean: [MEAN, MEAN, MEAN], deviation: [DEVIATION, DEVIATION, DEVIATION] };

const ways = {
  ours: async (): Promise<Float32Array> => {
    const { tensor } = await pictures.tensorOf({ bytes, mimeType: 'image/jpeg', spec, rule });
    return tensor.data as Float32Array;
  },
  loop: async (): Promise<Float32Array> => planesOf(await sharp(bytes).removeAlpha().raw().toBuffer()),
};

const [first, second] = [await ways.ours(), await ways.loop()];
if (first.length !== second.length || first.some((value, index) => Math.abs(value - (second[index] ?? 0)) > 1e-6)) {
  throw new Error('the two ways make different tensors');
}
process.on('message', ({ way, count }: TensorQuestion) => {
  void (async () => {
    const start = performance.now();
    for (let index = 0; index < count; index++) await ways[way]();
    process.send?.((performance.now() - start) / count);
  })();
});
process.send?.('ready');
