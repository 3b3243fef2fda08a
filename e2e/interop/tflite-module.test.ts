import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MLModelServiceDefinition, type FlatTensor } from '../../proto/gen/core/service/mlmodel/v1/mlmodel.ts';
import { VisionServiceDefinition } from '../../proto/gen/core/service/vision/v1/vision.ts';
import { Resource_State } from '../../proto/gen/core/status/v1/status.ts';
import { ModuleMachine } from '../harness/module-machine.ts';
import { tfliteModule, type TfliteModule } from '../harness/tflite-module.ts';

const run = promisify(execFile);

/** Models of the module's own tests, by the names of their files. */
type ModelName = 'colours' | 'free' | 'uint8' | 'int8' | 'noted' | 'sum';

describe('the TensorFlow Lite module', { timeout: 120_000 }, () => {
  let module: TfliteModule;
  let folder = '';
  let machine: ModuleMachine | undefined;

  beforeAll(() => {
    module = tfliteModule();
  }, 240_000);

  beforeEach(async (context) => {
    if (module.whyNot !== undefined) context.skip(module.whyNot);
    folder = await mkdtemp(path.join(os.tmpdir(), 'armature-tflite-'));
    // Where the server runs as root, its modules do not.
    await chmod(folder, 0o755);
    await run(module.python, ['-B', path.join(module.folder, 'test/model_file.py'), folder]);
  });

  afterEach(async () => {
    await machine?.stop();
    machine = undefined;
    if (folder !== '') await rm(folder, { recursive: true, force: true });
  });

  const fileOf = (model: ModelName): string => path.join(folder, `${model}.tflite`);

  async function start(attributes: object, vision: object = {}): Promise<ModuleMachine> {
    const config = {
      network: { bind_address: 'localhost:0' },
      modules: [{ name: 'tflite', type: 'local', module_id: 'armature:tflite', executable_path: module.executable }],
      services: [
        { name: 'net', api: 'rdk:service:mlmodel', model: 'armature:tflite:tflite_cpu', attributes },
        {
          ...{ name: 'eyes', api: 'rdk:service:vision', model: 'mlmodel' },
          attributes: { mlmodel_name: 'net', ...vision },
        },
      ],
    };
    machine = await ModuleMachine.join(JSON.stringify(config));
    return machine;
  }

  /** The classification of a picture of one colour. */
  async function classified({ client }: ModuleMachine, background: string): Promise<readonly [string, number][]> {
    const picture = sharp({ create: { width: 64, height: 48, channels: 3, background } });
    const { classifications } = await client.grpc.call(VisionServiceDefinition, 'getClassifications', {
      ...{ name: 'eyes', image: await picture.png().toBuffer(), width: 64, height: 48, mimeType: 'image/png' },
      ...{ n: 3, extra: undefined },
    });
    return classifications.map(({ className, confidence }) => [className, Math.round(confidence * 100) / 100]);
  }

  const infer = (client: ModuleMachine['client'], tensors: Record<string, FlatTensor>) =>
    client.grpc.call(MLModelServiceDefinition, 'infer', {
      ...{ name: 'net', inputTensors: { tensors }, extra: undefined },
    });
  const floats = (...data: number[]): FlatTensor => ({
    shape: [BigInt(data.length)],
    tensor: { $case: 'floatTensor', value: { data } },
  });

  it('passes its own tests', async () => {
    const { stderr } = await run(module.python, ['-B', '-m', 'unittest', 'discover', 'test'], { cwd: module.folder });
    expect(stderr).toMatch(/Ran \d+ tests[^]*\nOK/);
  });

  it('runs a quantised model with the labels in its file for a vision service, which names the colour', async () => {
    const ready = await start({ model_path: fileOf('noted') });
    await ready.ready('net', 'eyes');
    expect(await classified(ready, '#ff3300')).toEqual([
      ['red', 1],
      ['green', 0.2],
      ['blue', 0],
    ]);
    expect((await classified(ready, '#0000ff'))[0]).toEqual(['blue', 1]);
    const { metadata } = await ready.client.grpc.call(MLModelServiceDefinition, 'metadata', {
      ...{ name: 'net', extra: undefined },
    });
    expect(metadata).toMatchObject({
      name: 'colours',
      type: 'tflite',
      inputInfo: [
        {
          ...{ name: 'image', dataType: 'uint8', shape: [1, 16, 24, 3] },
          extra: { scale: expect.closeTo(1 / 255, 6) as number, zero_point: 0 },
        },
      ],
      outputInfo: [
        {
          ...{ name: 'probability', description: 'what it finds', dataType: 'float32', shape: [1, 3] },
          associatedFiles: [{ name: 'labels.txt' }],
          extra: { labels: ['red', 'green', 'blue'] },
        },
      ],
    });
  });

  it.each<[ModelName, object]>([
    ['colours', { input_image_mean_value: [0, 0, 0], input_image_std_dev: [1, 1, 1] }],
    ['free', { input_image_mean_value: [0, 0, 0], input_image_std_dev: [1, 1, 1] }],
    ['uint8', {}],
    ['int8', { input_image_mean_value: [0, 0, 0], input_image_std_dev: [1, 1, 1] }],
  ])('runs the model %s with the labels of a file', async (model, vision) => {
    const labels = path.join(folder, 'names.txt');
    await writeFile(labels, 'rot\ngrün\nblau\n');
    const ready = await start({ model_path: fileOf(model), label_path: labels, num_threads: 1 }, vision);
    await ready.ready('eyes');
    expect(await classified(ready, '#00cc33')).toEqual([
      ['grün', 0.8],
      ['blau', 0.2],
      ['rot', 0],
    ]);
  });

  it('takes several inputs, and says which there are', async () => {
    const ready = await start({ model_path: fileOf('sum') });
    await ready.ready('net');
    const { client } = ready;
    const { outputTensors } = await infer(client, { right: floats(10, 20), left: floats(1, 2) });
    expect(outputTensors?.tensors['total']).toEqual(floats(11, 22));
    await expect(infer(client, { left: floats(1, 2), up: floats(1, 2) })).rejects.toMatchObject({
      code: 3,
      details: 'Model "net": the model has no input "up"; it has "left" (float32 [2]), "right" (float32 [2]).',
    });
    await expect(infer(client, { left: floats(1, 2), right: floats(1, 2, 3) })).rejects.toMatchObject({
      details: 'Model "net": the shape of input "right" is [3]; allowed is [2].',
    });
    const bytes: FlatTensor = {
      ...{ shape: [2n], tensor: { $case: 'uint8Tensor', value: { data: Uint8Array.of(1, 2) } } },
    };
    await expect(infer(client, { left: floats(1, 2), right: bytes })).rejects.toMatchObject({
      details: 'Model "net": the type of input "right" is uint8; allowed is float32.',
    });
  });

  it.each<[string, () => object, string]>([
    [
      'is not there',
      () => ({ model_path: '/nowhere/m.tflite' }),
      'model_path /nowhere/m.tflite cannot be read: No such',
    ],
    ['is no model', () => ({ model_path: path.join(folder, 'names.txt') }), 'is no TensorFlow Lite file (13 bytes'],
    [
      'has no labels',
      () => ({ model_path: fileOf('sum'), label_path: '/nowhere/l.txt' }),
      'label_path /nowhere/l.txt is no file of this computer',
    ],
    ['is not named', () => ({}), '"model_path" is required: the path of a .tflite file'],
    [
      'has an attribute too many',
      () => ({ model_path: fileOf('sum'), path: 'x' }),
      '"path" is no attribute of tflite_cpu',
    ],
  ])('names a file that %s', async (_what, attributes, words) => {
    await writeFile(path.join(folder, 'names.txt'), 'not a model!\n');
    const failing = await start(attributes());
    await failing.until('it fails', () => failing.resource('net')?.state === Resource_State.FAILED, 60_000);
    expect(failing.resource('net')?.reason).toContain(words);
  });
});
