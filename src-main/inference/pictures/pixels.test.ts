import { describe, expect, it } from 'vitest';
import { tensorOf } from './pixels.ts';
import { inputSpec } from './input-spec.ts';
import type { TensorInfo } from '../tensor.ts';

const size = { width: 2, height: 1 };
const rgb = Uint8Array.of(255, 0, 51, 0, 102, 204);
const plain = { isBgr: false, mean: [0.5, 0.5, 0.5], deviation: [0.5, 0.5, 0.5] };
const as = (type: 'uint8' | 'int8' | 'float32', isChannelsFirst: boolean) => ({
  ...{ type, isChannelsFirst, quantisation: undefined },
});
const rounded = (of: ArrayLike<number>): number[] => Array.from(of, (value) => Math.round(value * 1e6) / 1e6);

describe('a picture as a tensor', () => {
  it('of bytes, pixel by pixel or colour by colour, in either order of the colours', () => {
    const bgr = { ...plain, isBgr: true };
    expect(tensorOf(rgb, size, as('uint8', false), plain)).toEqual({ type: 'uint8', shape: [1, 1, 2, 3], data: rgb });
    expect([...tensorOf(rgb, size, as('uint8', false), bgr).data]).toEqual([51, 0, 255, 204, 102, 0]);
    expect(tensorOf(rgb, size, as('uint8', true), plain).shape).toEqual([1, 3, 1, 2]);
    expect([...tensorOf(rgb, size, as('uint8', true), plain).data]).toEqual([255, 0, 0, 102, 51, 204]);
    expect([...tensorOf(rgb, size, as('uint8', true), bgr).data]).toEqual([51, 204, 0, 102, 255, 0]);
  });

  it('of floats, from -1 to 1 where nothing else is said', () => {
    const { type, data } = tensorOf(rgb, size, as('float32', false), plain);
    expect([type, rounded(data as Float32Array)]).toEqual(['float32', [1, -1, -0.6, -1, -0.2, 0.6]]);
  });

  it('takes mean and deviation in the order in which the model has the colours', () => {
    const rule = { isBgr: true, mean: [0.1, 0.2, 0.3], deviation: [1, 2, 4] };
    // Blue first: (0.2 - 0.1) / 1, (0 - 0.2) / 2, (1 - 0.3) / 4.
    const { data } = tensorOf(rgb, size, as('float32', false), rule);
    expect(rounded(data as Float32Array).slice(0, 3)).toEqual([0.1, -0.1, 0.175]);
  });

  it('of signed bytes, by the scale of a quantised model or around the middle', () => {
    expect([...tensorOf(rgb, size, as('int8', false), plain).data]).toEqual([127, -128, -77, -128, -26, 76]);
    const quantised = { ...as('int8', false), quantisation: { scale: 0.1, zeroPoint: 3 } };
    expect([...tensorOf(rgb, size, quantised, plain).data]).toEqual([13, -7, -3, -7, 1, 9]);
  });
});

describe('how a model takes pictures', () => {
  const input = (name: string, shape: readonly number[], dataType = 'float32', extra = {}): TensorInfo => ({
    ...{ name, shape, dataType, extra, description: '', associatedFiles: [] },
  });
  const of = (...inputs: TensorInfo[]) => ({ name: '', type: '', description: '', outputs: [], inputs });

  it.each<[string, TensorInfo, object]>([
    [
      'colours last',
      input('image', [1, 300, 400, 3]),
      { width: 400, height: 300, isChannelsFirst: false, type: 'float32' },
    ],
    ['colours first', input('image', [1, 3, 300, 400]), { width: 400, height: 300, isChannelsFirst: true }],
    [
      'any size',
      input('x', [-1, -1, -1, 3], 'uint8'),
      { name: 'x', width: undefined, height: undefined, type: 'uint8' },
    ],
    ['half floats', input('image', [1, 3, 8, 8], 'float16'), { type: 'float32' }],
    [
      'quantised',
      input('image', [1, 8, 8, 3], 'int8', { scale: [0.5], zero_point: -3 }),
      { type: 'int8', quantisation: { scale: 0.5, zeroPoint: -3 } },
    ],
  ])('%s', (_what, tensor, expected) => {
    expect(inputSpec(of(tensor), {})).toMatchObject(expected);
  });

  it('by the name that is configured, among others', () => {
    const two = of(input('a', [1, 8, 8, 3]), input('b', [1, 9, 9, 3]));
    expect(inputSpec(two, { remap_input_names: { b: 'image' } }).name).toBe('b');
    expect(() => inputSpec(two, {})).toThrow(
      'the model has no input "image"; its inputs are "a" (float32 [1, 8, 8, 3]), "b" (float32 [1, 9, 9, 3]). Name the input that takes the picture: "remap_input_names": {"<its name>": "image"}.',
    );
    expect(() => inputSpec(two, { remap_input_names: { c: 'image' } })).toThrow('names the input "c"');
  });

  it.each([
    [input('image', [1, 8, 8, 1]), 'its input "image" (float32 [1, 8, 8, 1]) is no picture'],
    [input('image', [1, 8, 8, 3], 'int64'), 'has values of type int64; uint8, int8 and float32 can be made'],
    [input('words', [1, 512]), 'the model has no input "image"'],
  ])('refuses %j', (tensor, words) => {
    expect(() => inputSpec(of(tensor), {})).toThrow(words);
  });
});
