/**
 * The peer of the vision service: ONNX Runtime, sharp and a loop, in a process without anything else. `bare-onnx.ts
 * MODEL PICTURE...`; replies to each message `{ pictures }` with the time for that many, in ms, and the 99th percentile
 * of the delay of the event loop meanwhile.
 */
import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import sharp from 'sharp';
import { SIDE } from './conv-detector.ts';
import { planesOf } from './plain-loop.ts';

/** The figures of one round. */
export interface BareRound {
  readonly ms: number;
  readonly delayMs: number;
}

const [model = '', ...files] = process.argv.slice(2);
const pictures = files.map((file) => readFileSync(file));
sharp.cache(false);
const session = await InferenceSession.create(model, { intraOpNumThreads: 1, interOpNumThreads: 1 });

async function detect(picture: Buffer): Promise<void> {
  const size = { width: SIDE, height: SIDE, fit: 'fill', kernel: 'linear' } as const;
  const rgb = await sharp(picture).resize(size).raw().toBuffer();
  await session.run({ image: new Tensor('float32', planesOf(rgb), [1, 3, SIDE, SIDE]) });
}

process.on('message', ({ pictures: count }: { readonly pictures: number }) => {
  void (async () => {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const start = performance.now();
    for (let index = 0; index < count; index++) await detect(pictures[index % pictures.length] ?? Buffer.of());
    process.send?.({ ms: performance.now() - start, delayMs: delay.percentile(99) / 1e6 } satisfies BareRound);
    delay.disable();
  })();
});
process.send?.('ready');
