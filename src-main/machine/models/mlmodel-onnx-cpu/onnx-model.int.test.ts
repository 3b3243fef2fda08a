import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { onnxFile, type OnnxGraph } from '../../../inference/onnx/testing/onnx-file.ts';
import { TestBench } from '../bench.fixture.ts';
import type { MlModel } from '../../../apis/mlmodel.ts';
import type { Tensor } from '../../../inference/tensor.ts';
import type { BuiltResource } from '../../catalog/model.ts';

/** Returns the mean of each colour of a picture of any size. */
const colours: OnnxGraph = {
  inputs: [{ name: 'picture', type: 'float32', shape: [1, 3, 'height', 'width'] }],
  outputs: [{ name: 'means', type: 'float32', shape: [1, 3] }],
  nodes: [{ op: 'ReduceMean', inputs: ['picture'], outputs: ['means'], attributes: { axes: [2, 3], keepdims: 0 } }],
};

const two: OnnxGraph = {
  inputs: [
    { name: 'a', type: 'float16', shape: [2] },
    { name: 'b', type: 'bool', shape: [2] },
  ],
  outputs: [
    { name: 'double', type: 'float16', shape: [2] },
    { name: 'not', type: 'bool', shape: [2] },
  ],
  nodes: [
    { op: 'Add', inputs: ['a', 'a'], outputs: ['double'] },
    { op: 'Not', inputs: ['b'], outputs: ['not'] },
  ],
};

describe('machine-learning model onnx_cpu', () => {
  let bench: TestBench;
  let folder: string;
  let model: (MlModel & BuiltResource) | undefined;

  beforeEach(async () => {
    bench = new TestBench();
    folder = await mkdtemp(path.join(tmpdir(), 'armature-onnx-'));
  });

  afterEach(async () => {
    await model?.close();
    model = undefined;
    await rm(folder, { recursive: true });
  });

  async function modelOf(graph: OnnxGraph, attributes: object = {}): Promise<MlModel> {
    const file = path.join(folder, 'colours.onnx');
    await writeFile(file, onnxFile(graph));
    model = await build({ model_path: file, ...attributes });
    return model;
  }

  const build = (attributes: object): Promise<MlModel & BuiltResource> =>
    bench.build<MlModel>('core:service:mlmodel', 'onnx_cpu', 'net', attributes);

  const picture = (height: number, width: number): Tensor => {
    const size = height * width;
    const data = Float32Array.from({ length: 3 * size }, (_, at) => Math.floor(at / size) + 1);
    return { type: 'float32', shape: [1, 3, height, width], data };
  };

  it('runs a model of dynamic size, and its only input needs no name', async () => {
    const net = await modelOf(colours);
    for (const [name, height] of [
      ['picture', 2],
      ['', 5],
      ['image', 7],
    ] as const) {
      const outputs = await net.infer(new Map([[name, picture(height, 3)]]));
      expect([...outputs]).toEqual([['means', { type: 'float32', shape: [1, 3], data: Float32Array.of(1, 2, 3) }]]);
    }
  });

  it('tells its tensors, and where its labels are', async () => {
    const labels = path.join(folder, 'labels.txt');
    await writeFile(labels, 'red\ngreen\nblue\n');
    const net = await modelOf(colours, { label_path: labels });
    expect(await net.metadata()).toEqual({
      name: 'colours',
      type: 'onnx',
      description: '',
      inputs: [
        {
          name: 'picture',
          description: '',
          dataType: 'float32',
          shape: [1, 3, -1, -1],
          associatedFiles: [],
          extra: {},
        },
      ],
      outputs: [
        {
          ...{ name: 'means', description: '', dataType: 'float32', shape: [1, 3], extra: { labels } },
          associatedFiles: [{ name: 'labels.txt', description: 'labels', labelsOf: 'value' }],
        },
      ],
    });
  });

  it('takes half floats as floats and truth values as bytes, and gives them so', async () => {
    const net = await modelOf(two);
    const outputs = await net.infer(
      new Map<string, Tensor>([
        ['a', { type: 'float32', shape: [2], data: Float32Array.of(1.5, -2) }],
        ['b', { type: 'uint8', shape: [2], data: Uint8Array.of(0, 1) }],
      ]),
    );
    expect(outputs.get('double')).toEqual({ type: 'float32', shape: [2], data: Float32Array.of(3, -4) });
    expect(outputs.get('not')).toEqual({ type: 'uint8', shape: [2], data: Uint8Array.of(1, 0) });
  });

  it('leaves memory alone that holds more than the tensor', async () => {
    const net = await modelOf(colours);
    const room = new Float32Array(20).fill(4);
    const data = room.subarray(4, 16);
    const outputs = await net.infer(new Map([['picture', { type: 'float32', shape: [1, 3, 2, 2], data }]]));
    expect([...(outputs.get('means')?.data ?? [])]).toEqual([4, 4, 4]);
    expect(room.length).toBe(20);
  });

  it.each<[string, ReadonlyMap<string, Tensor>, string]>([
    [
      'a name',
      new Map([
        ['x', picture(1, 1)],
        ['y', picture(1, 1)],
      ]),
      'an input tensor is "x"; allowed is "picture"',
    ],
    [
      'a type',
      new Map([['picture', { type: 'uint8', shape: [1, 3, 1, 1], data: new Uint8Array(3) }]]),
      'is "uint8"; allowed is float32',
    ],
    [
      'a shape',
      new Map([['picture', { type: 'float32', shape: [1, 4, 1, 1], data: new Float32Array(4) }]]),
      'is "[1, 4, 1, 1]"; allowed is [1, 3, -1, -1]',
    ],
    ['nothing', new Map(), 'the input tensor "picture" is undefined; allowed is one of that name'],
  ])('refuses %s that it does not take, with what it does', async (_what, inputs, words) => {
    const net = await modelOf(colours);
    await expect(net.infer(inputs)).rejects.toMatchObject({
      code: 'call.bad_argument',
      message: expect.stringContaining(words) as string,
    });
    expect((await net.infer(new Map([['', picture(1, 1)]]))).size).toBe(1);
  });

  it('has so many runs waiting, and says so to whoever comes then', async () => {
    const net = await modelOf(colours);
    const runs = Array.from({ length: 20 }, () => net.infer(new Map([['', picture(4, 4)]])));
    const ended = await Promise.allSettled(runs);
    expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(16);
    for (const one of ended.slice(16)) expect(one).toMatchObject({ reason: { code: 'call.overloaded' } });
    expect((await net.infer(new Map([['', picture(1, 1)]]))).size).toBe(1);
  });

  it('names the file that is no model, or is not there, and ends its thread', async () => {
    const file = path.join(folder, 'broken.onnx');
    await writeFile(file, onnxFile(colours).subarray(0, 40));
    await expect(build({ model_path: file })).rejects.toMatchObject({
      code: 'file.unreadable',
      message: expect.stringContaining(`Model "net": ${file} is no model that can be run: `) as string,
    });
    await expect(build({ model_path: path.join(folder, 'absent.onnx') })).rejects.toMatchObject({
      code: 'file.unreadable',
      message: `Model "net": model_path ${folder}/absent.onnx is no file of this computer.`,
    });
    await writeFile(file, onnxFile(colours));
    await expect(build({ model_path: file, label_path: '/nowhere/labels.txt' })).rejects.toMatchObject({
      message: 'Model "net": label_path /nowhere/labels.txt is no file of this computer.',
    });
  });

  it('refuses what waits for it when it is closed, and what comes after', async () => {
    const net = await modelOf(colours);
    const waiting = net.infer(new Map([['', picture(400, 400)]]));
    await Promise.all([
      expect(waiting).rejects.toMatchObject({
        code: 'resource.not_ready',
        message: 'Model "net": cannot answer: it is closed',
      }),
      model?.close(),
    ]);
    await expect(net.infer(new Map([['', picture(1, 1)]]))).rejects.toMatchObject({ code: 'resource.not_ready' });
  });

  it('is closed in the middle of a run, and the program lives on', async () => {
    for (let time = 0; time < 10; time++) {
      const net = await modelOf(colours);
      const runs = Array.from({ length: 3 }, () => net.infer(new Map([['', picture(800, 800)]])));
      const settled = Promise.allSettled(runs);
      if (time % 2 === 1) await runs[0];
      await model?.close();
      model = undefined;
      expect((await settled).at(-1)?.status).toBe('rejected');
    }
  });
});
