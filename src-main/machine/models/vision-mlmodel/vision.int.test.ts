import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestBench } from '../bench.fixture.ts';
import { onnxFile, type OnnxGraph } from '../../../inference/onnx/testing/onnx-file.ts';
import type { Camera } from '../../../apis/camera.ts';
import type { MlModel } from '../../../apis/mlmodel.ts';
import type { ModelMetadata, Tensor, TensorInfo, Tensors } from '../../../inference/tensor.ts';
import { overlapOf } from '../../../inference/findings/testing/overlap.ts';
import { shapeDetector } from '../../../inference/findings/testing/shape-detector.ts';
import type { JsonObject } from '../../../apis/resource.ts';
import type { Vision } from '../../../apis/vision.ts';
import type { BuiltResource } from '../../catalog/model.ts';

const MODEL = 'core:service:mlmodel';
const VISION = 'core:service:vision';

/** Outputs the share of red, green and blue in a picture. They are probabilities only with float values from 0 to 1. */
const colours: OnnxGraph = {
  inputs: [{ name: 'picture', type: 'float32', shape: [1, 3, 4, 6] }],
  outputs: [{ name: 'means', type: 'float32', shape: [1, 3] }],
  nodes: [{ op: 'ReduceMean', inputs: ['picture'], outputs: ['means'], attributes: { axes: [2, 3], keepdims: 0 } }],
};

/** One box that never moves, with the picture's brightness as its confidence, and the shares of red, green and blue. */
const both: OnnxGraph = {
  inputs: [{ name: 'image', type: 'float32', shape: [1, 'height', 'width', 3] }],
  outputs: [
    { name: 'location', type: 'float32', shape: [1, 1, 4] },
    { name: 'category', type: 'float32', shape: [1, 1] },
    { name: 'score', type: 'float32', shape: [1, 1] },
    { name: 'probability', type: 'float32', shape: [1, 3] },
  ],
  constants: [
    { name: 'box', shape: [1, 1, 4], floats: [0.1, 0.2, 0.5, 0.6] },
    { name: 'label', shape: [1, 1], floats: [1] },
  ],
  nodes: [
    { op: 'Identity', inputs: ['box'], outputs: ['location'] },
    { op: 'Identity', inputs: ['label'], outputs: ['category'] },
    { op: 'ReduceMean', inputs: ['image'], outputs: ['probability'], attributes: { axes: [1, 2], keepdims: 0 } },
    { op: 'ReduceMean', inputs: ['probability'], outputs: ['score'], attributes: { axes: [1], keepdims: 1 } },
  ],
};

const plainFloats = { input_image_mean_value: [0, 0, 0], input_image_std_dev: [1, 1, 1] };

describe('vision model mlmodel', () => {
  let bench: TestBench;
  let folder: string;
  let open: BuiltResource[];

  beforeEach(async () => {
    bench = new TestBench();
    folder = await mkdtemp(path.join(tmpdir(), 'armature-vision-'));
    open = [];
  });

  afterEach(async () => {
    for (const one of open.toReversed()) await one.close();
    await rm(folder, { recursive: true });
  });

  async function addModel(graph: OnnxGraph, labels = 'red\ngreen\nblue\n'): Promise<void> {
    const [model, labelFile] = [path.join(folder, 'model.onnx'), path.join(folder, 'labels.txt')];
    await writeFile(model, onnxFile(graph));
    await writeFile(labelFile, labels);
    open.push(await bench.build<MlModel>(MODEL, 'onnx_cpu', 'net', { model_path: model, label_path: labelFile }));
  }

  async function vision(attributes: object = {}): Promise<Vision> {
    const built = await bench.build<Vision>(VISION, 'mlmodel', 'eyes', { mlmodel_name: 'net', ...attributes });
    open.push(built);
    return built;
  }

  /** Adds a model with given answers and metadata. */
  function addStandIn(outputs: Tensors | (() => Tensors), metadata: Partial<ModelMetadata>): Tensors[] {
    const given: Tensors[] = [];
    const net: MlModel = {
      name: 'net',
      infer: (inputs) => {
        given.push(inputs);
        return Promise.resolve().then(() => (typeof outputs === 'function' ? outputs() : outputs));
      },
      metadata: () =>
        Promise.resolve({
          ...{ name: 'stand-in', type: '', description: '', outputs: [] },
          inputs: [{ ...tensorInfo('image', [1, 2, 2, 3]), dataType: 'uint8' }],
          ...metadata,
        }),
      close: () => Promise.resolve(),
    };
    bench.add(net);
    return given;
  }

  const tensorInfo = (name: string, shape: readonly number[], extra: JsonObject = {}): TensorInfo => ({
    ...{ name, shape, extra, dataType: 'float32', description: '', associatedFiles: [] },
  });
  const floats = (shape: readonly number[], of: readonly number[]): Tensor => ({
    ...{ type: 'float32', shape, data: Float32Array.from(of) },
  });
  const plain = (color: string, width = 12, height = 8): Promise<Buffer> =>
    sharp({ create: { width, height, channels: 3, background: color } })
      .png()
      .toBuffer();

  it('classifies pictures by a model whose names are remapped', async () => {
    await addModel(colours);
    const eyes = await vision({
      ...plainFloats,
      remap_input_names: { picture: 'image' },
      remap_output_names: { means: 'probability' },
    });
    const found = await eyes.classifications(await plain('#336699'), 'image/png', 2, 0, 0);
    expect(found).toEqual([
      { label: 'blue', confidence: expect.closeTo(0.6, 5) as number },
      { label: 'green', confidence: expect.closeTo(0.4, 5) as number },
    ]);
    expect(await eyes.properties()).toEqual({
      ...{ findsClassifications: true, findsDetections: false, findsObjectPointClouds: false },
    });
    await expect(eyes.detections(await plain('red'), 'image/png', 0, 0)).rejects.toMatchObject({
      code: 'call.unimplemented',
      message: expect.stringContaining('which are "means" (float32 [1, 3])') as string,
    });
  });

  it('finds boxes and classes in the next picture of a camera by one run', async () => {
    await addModel(both, 'cat\ndog\n');
    const fake = await bench.build<Camera>('core:component:camera', 'fake', 'cam', { width: 100, height: 50 });
    open.push(fake);
    const eyes = await vision({ camera_name: 'cam', ...plainFloats });
    const all = await eyes.captureAllFromCamera('', { image: true, detections: true, classifications: true });
    expect(all.image?.mimeType).toBe('image/jpeg');
    expect(all.detections).toEqual([
      {
        label: 'dog',
        confidence: expect.any(Number) as number,
        pixels: { xMin: 19, yMin: 4, xMax: 59, yMax: 24 },
        shares: { xMin: 0.19, yMin: 0.08, xMax: 0.59, yMax: 0.48 },
      },
    ]);
    expect(all.classifications.map(({ label }) => label)).toEqual(['cat', 'dog', '2']);
    expect(Object.keys(all.extra)).toEqual(['picture_ms', 'prepare_ms', 'infer_ms']);
    expect(await eyes.properties()).toMatchObject({
      findsDetections: true,
      findsClassifications: true,
      defaultCamera: 'cam',
    });
    expect(await eyes.detectionsFromCamera('cam')).toHaveLength(1);
    // Only what was requested.
    expect(await eyes.captureAllFromCamera('cam', { image: false, detections: false, classifications: false })).toEqual(
      {
        ...{
          image: undefined,
          detections: [],
          classifications: [],
          extra: { picture_ms: expect.any(Number) as number },
        },
      },
    );
  });

  it('finds the shapes of a camera where they are', async () => {
    const [model, labels] = [path.join(folder, 'shapes.onnx'), path.join(folder, 'labels.txt')];
    await writeFile(model, shapeDetector(320, 240, 3));
    await writeFile(labels, 'shape\n');
    open.push(await bench.build<MlModel>(MODEL, 'onnx_cpu', 'net', { model_path: model, label_path: labels }));
    const overlaps: number[] = [];
    for (const [seed, width] of [
      [1, 320],
      [2, 640],
      [3, 960],
    ] as const) {
      const attributes = { width, height: (width * 3) / 4, seed, animated: false };
      const camera = await bench.build<Camera>('core:component:camera', 'fake', 'cam', attributes);
      const eyes = await vision(plainFloats);
      const found = await eyes.detectionsFromCamera('cam');
      const truth = (await camera.doCommand?.({ truth: true }))?.['boxes'] as Record<string, number>[];
      expect(found.map(({ label, confidence }) => [label, confidence])).toEqual(Array(3).fill(['shape', 0.875]));
      for (const [index, box] of truth.entries()) {
        const { x_min_normalized: xMin = 0, y_min_normalized: yMin = 0 } = box;
        const { x_max_normalized: xMax = 0, y_max_normalized: yMax = 0 } = box;
        overlaps.push(overlapOf(found[index]?.shares, { xMin, yMin, xMax, yMax }));
      }
    }
    expect(overlaps).toHaveLength(9);
    expect(Math.min(...overlaps)).toBeGreaterThan(0.9);
  });

  it('leaves out what is not sure enough, by label where that is said', async () => {
    await addModel(colours);
    const picture = await plain('#336699');
    const labels = async (attributes: object) => {
      const eyes = await vision({ ...plainFloats, ...attributes });
      return (await eyes.classifications(picture, '', 0, 0, 0)).map(({ label }) => label);
    };
    expect(await labels({ default_minimum_confidence: 0.3 })).toEqual(['green', 'blue']);
    expect(await labels({ default_minimum_confidence: 0.99, label_confidences: { RED: 0.1, blue: 0.9 } })).toEqual([
      'red',
    ]);
  });

  it('takes the labels of its own file in place of those of the model', async () => {
    await addModel(colours);
    const labels = path.join(folder, 'other.txt');
    await writeFile(labels, 'a,b,c');
    const eyes = await vision({ label_path: labels });
    expect((await eyes.classifications(await plain('red'), '', 1, 0, 0))[0]?.label).toBe('a');
    await expect(vision({ label_path: '/nowhere.txt' })).rejects.toMatchObject({
      code: 'file.unreadable',
      message: expect.stringContaining('Vision "eyes" with model "net": /nowhere.txt') as string,
    });
  });

  it('gives the model what it wants, and tells its outputs apart by their values', async () => {
    const given = addStandIn(
      new Map([
        ['a', floats([1, 2], [0.9, 0.3])],
        ['b', floats([1, 2, 4], [0, 0, 1, 1, 0, 0, 0.5, 0.5])],
        ['c', floats([1, 2], [1, 0])],
      ]),
      {
        outputs: [
          tensorInfo('a', [1, 2]),
          tensorInfo('b', [1, 2, 4], { boxOrder: [0, 1, 2, 3], labels: ['cat', 'dog'] }),
          tensorInfo('c', [1, 2]),
        ],
      },
    );
    const eyes = await vision({ input_image_bgr: true });
    const found = await eyes.detections(await plain('#0a141e'), 'image/png', 0, 0);
    expect(found.map(({ label, confidence, pixels }) => [label, Math.round(confidence * 10), pixels])).toEqual([
      ['dog', 9, { xMin: 0, yMin: 0, xMax: 11, yMax: 7 }],
      ['cat', 3, { xMin: 0, yMin: 0, xMax: 5, yMax: 3 }],
    ]);
    expect([...(given[0]?.get('image')?.data ?? [])].slice(0, 3)).toEqual([30, 20, 10]);
  });

  it('asks the model again after it failed once', async () => {
    let isBroken = true;
    addStandIn(
      () => {
        if (isBroken) throw new Error('out of memory');
        return new Map([['p', floats([1, 2], [1, 0])]]);
      },
      { outputs: [tensorInfo('p', [1, 2])] },
    );
    const eyes = await vision();
    const picture = await plain('red');
    await expect(eyes.classifications(picture, '', 0, 0, 0)).rejects.toThrow('"eyes": out of memory');
    isBroken = false;
    expect(await eyes.classifications(picture, '', 1, 0, 0)).toEqual([{ label: '0', confidence: 1 }]);
  });

  it('refuses at once what no picture and no camera is', async () => {
    await addModel(colours);
    const eyes = await vision();
    await expect(eyes.classifications(Buffer.from('no'), 'image/jpeg', 0, 0, 0)).rejects.toMatchObject({
      code: 'call.bad_argument',
      message: expect.stringContaining('"eyes": the picture (2 bytes, image/jpeg) cannot be read') as string,
    });
    await expect(eyes.classificationsFromCamera('', 0)).rejects.toMatchObject({
      message: '"eyes" was asked without a camera, and has none in camera_name. Name one.',
    });
    await expect(eyes.classificationsFromCamera('nobody', 0)).rejects.toThrow('no resource nobody');
  });

  it('takes no pictures in which things that were found are drawn', async () => {
    await addModel(colours);
    const eyes = await vision();
    const drawn = { source: 'cam', pipeline: [{ type: 'detections', attributes: { detector_name: 'eyes' } }] };
    bench.add({ name: 'drawn', close: () => Promise.resolve() }, 'core:builtin:transform', drawn);
    await expect(eyes.classificationsFromCamera('drawn', 1)).rejects.toMatchObject({
      code: 'call.bad_argument',
      message: expect.stringContaining('Name the camera behind it.') as string,
    });
  });

  it.each<[string, object, string]>([
    ['inputs', { remap_input_names: { x: 'image' } }, 'it has "picture" (float32 [1, 3, 4, 6])'],
    ['outputs', { remap_output_names: { x: 'location' } }, 'it has "means" (float32 [1, 3])'],
  ])('is not built with names of %s that the model does not have', async (_what, attributes, words) => {
    await addModel(colours);
    await expect(vision(attributes)).rejects.toMatchObject({
      code: 'config.invalid',
      message: expect.stringContaining(words) as string,
    });
  });
});
