import { onnxFile, type OnnxConstant, type OnnxNode } from '../../../src-main/inference/onnx/testing/onnx-file.ts';

/** Pixels of the model's square input. */
export const SIDE = 320;
/** Boxes of each picture. */
export const BOXES = 20;
/** Channels after each convolution; the first three halve both sides. */
const CHANNELS = [16, 32, 64, 64, 64, 64, 64];
const HALVING = 3;
const KERNEL = 3;

/**
 * A detector with the work of a small trained one (about 0.3 billion multiplications a picture) and fixed, untrained
 * weights. Takes floats, colours first; its boxes are shares of the picture.
 */
export function convDetector(): Uint8Array {
  const random = generator();
  const weights = (name: string, shape: readonly number[]): OnnxConstant => {
    const length = shape.reduce((all, size) => all * size, 1);
    const inputs = length / (shape[0] ?? 1);
    return { name, shape, floats: Array.from({ length }, () => (random() - 0.5) * Math.sqrt(12 / inputs)) };
  };
  const last = CHANNELS.at(-1) ?? 0;
  const nodes: OnnxNode[] = [];
  const constants: OnnxConstant[] = [
    weights('boxWeights', [last, BOXES * 4]),
    weights('scoreWeights', [last, BOXES]),
    { name: 'flat', shape: [2], integers: [1, last] },
    { name: 'boxShape', shape: [3], integers: [1, BOXES, 4] },
    { name: 'labels', shape: [1, BOXES], floats: Array<number>(BOXES).fill(0) },
  ];
  for (const [layer, channels] of CHANNELS.entries()) {
    constants.push(weights(`weights${layer}`, [channels, CHANNELS[layer - 1] ?? 3, KERNEL, KERNEL]));
    const stride = layer < HALVING ? 2 : 1;
    nodes.push(
      {
        op: 'Conv',
        inputs: [layer === 0 ? 'image' : `active${layer - 1}`, `weights${layer}`],
        outputs: [`conv${layer}`],
        attributes: { kernel_shape: [KERNEL, KERNEL], strides: [stride, stride], pads: [1, 1, 1, 1] },
      },
      { op: 'Relu', inputs: [`conv${layer}`], outputs: [`active${layer}`] },
    );
  }
  nodes.push(
    { op: 'GlobalAveragePool', inputs: [`active${CHANNELS.length - 1}`], outputs: ['pooled'] },
    { op: 'Reshape', inputs: ['pooled', 'flat'], outputs: ['features'] },
    { op: 'MatMul', inputs: ['features', 'boxWeights'], outputs: ['boxLogits'] },
    { op: 'Sigmoid', inputs: ['boxLogits'], outputs: ['boxes'] },
    { op: 'Reshape', inputs: ['boxes', 'boxShape'], outputs: ['location'] },
    { op: 'MatMul', inputs: ['features', 'scoreWeights'], outputs: ['scoreLogits'] },
    { op: 'Sigmoid', inputs: ['scoreLogits'], outputs: ['score'] },
    { op: 'Identity', inputs: ['labels'], outputs: ['category'] },
  );
  return onnxFile({
    inputs: [{ name: 'image', type: 'float32', shape: [1, 3, SIDE, SIDE] }],
    outputs: [
      { name: 'location', type: 'float32', shape: [1, BOXES, 4] },
      { name: 'category', type: 'float32', shape: [1, BOXES] },
      { name: 'score', type: 'float32', shape: [1, BOXES] },
    ],
    nodes,
    constants,
  });
}

/** Pseudo-random numbers from 0 to 1, always the same sequence: a linear congruential generator. */
function generator(): () => number {
  let state = 1;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}
