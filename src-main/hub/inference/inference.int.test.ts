import { readdir } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MLInferenceServiceDefinition } from '../../../proto/gen/core/app/mlinference/v1/ml_inference.ts';
import {
  HubInferenceServiceDefinition,
  TestClassifierResponse,
  TestVerdict,
  type TestClassifierRequest,
} from '../../../proto/gen/core/hub/v1/inference.ts';
import { Labelled } from '../../../proto/gen/core/hub/v1/dataset.ts';
import { ManualClock } from '../../base/clock.ts';
import { StatusCode } from '../../base/status.ts';
import { onnxFile, type OnnxGraph } from '../../inference/onnx/testing/onnx-file.ts';
import { camera, picture } from '../data/testing/data-bench.ts';
import { DatasetBench } from '../labelling/testing/dataset-bench.ts';
import { archiveOf, uploadModel, uploadPackage } from '../registry/testing/upload-package.ts';
import { testStores } from '../storage/testing/test-stores.ts';
import { CallFailure } from '../testing/test-hub.ts';

const { INVALID_ARGUMENT, NOT_FOUND, FAILED_PRECONDITION, PERMISSION_DENIED, UNIMPLEMENTED } = StatusCode;
const { RIGHT, WRONG, UNLABELLED, FAILED } = TestVerdict;

/** A classifier: the more a picture has of a colour, the more confident it is of that colour. */
const colours: OnnxGraph = {
  inputs: [{ name: 'image', type: 'float32', shape: [1, 3, 4, 6] }],
  outputs: [{ name: 'probability', type: 'float32', shape: [1, 3] }],
  nodes: [{ op: 'ReduceMean', inputs: ['image'], outputs: ['probability'], attributes: { axes: [2, 3], keepdims: 0 } }],
};

/** A detector that always finds the same two boxes. */
const boxes: OnnxGraph = {
  inputs: [{ name: 'image', type: 'float32', shape: [1, 'height', 'width', 3] }],
  outputs: [
    { name: 'location', type: 'float32', shape: [1, 2, 4] },
    { name: 'category', type: 'float32', shape: [1, 2] },
    { name: 'score', type: 'float32', shape: [1, 2] },
    { name: 'brightness', type: 'float32', shape: [1, 3] },
  ],
  constants: [
    { name: 'places', shape: [1, 2, 4], floats: [0, 0, 0.5, 0.5, 0.25, 0.5, 0.75, 1] },
    { name: 'kinds', shape: [1, 2], floats: [1, 0] },
    { name: 'sure', shape: [1, 2], floats: [0.25, 0.75] },
  ],
  nodes: [
    { op: 'Identity', inputs: ['places'], outputs: ['location'] },
    { op: 'Identity', inputs: ['kinds'], outputs: ['category'] },
    { op: 'Identity', inputs: ['sure'], outputs: ['score'] },
    { op: 'ReduceMean', inputs: ['image'], outputs: ['brightness'], attributes: { axes: [1, 2], keepdims: 0 } },
  ],
};

const labels = ['red', 'green', 'blue'];

describe.each(testStores)('models on stored pictures on $name', (kind) => {
  let clock: ManualClock;
  let bench: DatasetBench;
  let token = '';
  let modelId = '';

  const open = async (now: number): Promise<void> => {
    clock = new ManualClock(now);
    bench = await DatasetBench.open(kind, clock);
    token = bench.data.ownerToken;
    modelId = `${bench.data.test.first.organizationId}/colours`;
  };
  beforeEach(() => open(Date.UTC(2026, 5, 1)));
  afterEach(() => bench.end());

  const model = (graph: OnnxGraph, more: Parameters<typeof uploadModel>[2] = {}): Promise<void> =>
    uploadModel(bench.data.test, token, { name: 'colours', labels, ...more }, onnxFile(graph));
  /** Captures a picture of one colour. @returns its id */
  const shot = async (background: string, tags: string[] = []): Promise<string> => {
    clock.advance(1);
    const bytes = await sharp({ create: { width: 12, height: 8, channels: 3, background } })
      .png()
      .toBuffer();
    const metadata = { ...camera, mimeType: 'image/png', fileExtension: '.png', datasetIds: [bench.datasetId], tags };
    return bench.data.upload([picture(clock.now(), bytes)], metadata);
  };
  const run = (binaryDataId: string, version = '', as = token) =>
    bench.data.test.call(HubInferenceServiceDefinition, 'run', { modelId, version, binaryDataId }, { token: as });
  const test = async (request: Partial<TestClassifierRequest> = {}) => {
    const value = { datasetId: bench.datasetId, labelled: Labelled.UNSPECIFIED, tag: '', boxLabel: '' };
    const whole = { modelId, version: '', limit: 0, of: { $case: 'dataset', value } as const, ...request };
    const call = bench.data.test.start(HubInferenceServiceDefinition, 'testClassifier', whole, { token });
    const { code, message } = await call.ended;
    if (code !== 0) throw new CallFailure(code, message);
    return call.messages.map((bytes) => TestClassifierResponse.decode(bytes).part);
  };
  const loaded = async (): Promise<number> =>
    (await readdir(path.join(bench.data.test.folder, 'inference')).catch(() => [])).length;

  it('return classes, the most confident first, and output tensors, for each form of the model id', async () => {
    await model(colours);
    const binaryDataId = await shot('#0000ff');
    const { organizationId } = bench.data.test.first;
    for (const registryItemId of [modelId, `${organizationId}:colours`]) {
      const request = { registryItemId, registryItemVersion: '1.0.0', binaryDataId, organizationId };
      const { annotations, outputTensors } = await bench.data.test.call(
        MLInferenceServiceDefinition,
        'getInference',
        request,
        { token },
      );
      expect(annotations?.bboxes).toEqual([]);
      expect(annotations?.classifications.map(({ label }) => label)).toEqual(['blue', 'red', 'green']);
      // Blue is 1 and the others are -1, which are logits.
      expect(annotations?.classifications[0]?.confidence).toBeCloseTo(Math.E / (Math.E + 2 / Math.E), 5);
      const tensor = outputTensors?.tensors['probability']?.tensor;
      expect(tensor).toEqual({ $case: 'floatTensor', value: { data: [-1, -1, 1] } });
    }
    const other = { registryItemId: modelId, binaryDataId, organizationId: 'another' };
    await expect(
      bench.data.test.call(MLInferenceServiceDefinition, 'getInference', other, { token }),
    ).rejects.toMatchObject({ code: NOT_FOUND });
  });

  it('return the boxes of a detector, as fractions of the picture', async () => {
    await model(boxes);
    const { annotations, version } = await run(await shot('#ffffff'));
    expect(version).toBe('1.0.0');
    expect(annotations?.classifications).toEqual([]);
    expect(annotations?.bboxes.map(({ label, confidence }) => [label, confidence])).toEqual([
      ['red', 0.75],
      ['green', 0.25],
    ]);
    const [box] = annotations?.bboxes ?? [];
    // Whole pixels of 12 by 8.
    expect([box?.xMinNormalized, box?.yMinNormalized]).toEqual([5 / 12, 1 / 8]);
    expect([box?.xMaxNormalized, box?.yMaxNormalized]).toEqual([11 / 12, 5 / 8]);
  });

  it('refuse a file that is no picture, and continue with the next one', async () => {
    await model(colours);
    const broken = await bench.add('this is no picture');
    await expect(run(broken)).rejects.toMatchObject({
      code: INVALID_ARGUMENT,
      message: expect.stringMatching(
        /^Model "colours" 1\.0\.0: the picture \(18 bytes, image\/jpeg\) cannot be read: /,
      ) as string,
    });
    const { annotations } = await run(await shot('#ff0000'));
    expect(annotations?.classifications[0]?.label).toBe('red');
  });

  it('refuse a model that cannot be run, with its name and the problem', async () => {
    const id = await shot('#ff0000');
    await model(colours, { version: '1.0.0', labels: [] });
    await expect(run(id)).rejects.toMatchObject({
      code: FAILED_PRECONDITION,
      message: expect.stringContaining('Model "colours" 1.0.0 cannot be run here: it has no labels') as string,
    });
    await model(colours, { version: '1.0.1', labels: ['red'] });
    await expect(run(id, '1.0.1')).rejects.toMatchObject({
      message: expect.stringContaining('it has 1, and it gives 3 probabilities') as string,
    });
    await model(boxes, { version: '1.0.2', labels: ['red'] });
    await expect(run(id, '1.0.2')).rejects.toMatchObject({
      message: expect.stringContaining('it has 1, and it finds number 1') as string,
    });
    const { organizationId } = bench.data.test.first;
    const junk = Buffer.concat([Buffer.from([0x08, 0x08, 0x12, 0x05]), Buffer.from('bench'), Buffer.alloc(64, 7)]);
    await uploadModel(bench.data.test, token, { name: 'colours', version: '1.0.3', labels }, junk);
    const failure = await run(id, '1.0.3').catch((thrown: unknown) => thrown as Error);
    expect(failure).toMatchObject({
      message: expect.stringMatching(/^Model "colours" 1\.0\.3: model\.onnx is no model that can be run: /) as string,
    });
    const files = archiveOf([{ name: 'colours.tflite', content: 'xxxxTFL3' }]);
    const said = { organizationId, name: 'colours', metadata: { model_framework: 'tflite' } };
    await uploadPackage(bench.data.test, token, { ...said, version: '1.0.4' }, files);
    await expect(run(id, '1.0.4')).rejects.toMatchObject({ code: UNIMPLEMENTED });
    await expect(run(id, '9.9.9')).rejects.toMatchObject({ code: NOT_FOUND });
    await expect(run('no-such-picture', '1.0.1')).rejects.toMatchObject({ code: NOT_FOUND });
  });

  it('accept packages of public tools, with labels in a file', async () => {
    const files = archiveOf([
      { name: 'colours.onnx', content: Buffer.from(onnxFile(colours)) },
      { name: 'labels.txt', content: 'red\ngreen\nblue\n' },
    ]);
    await uploadPackage(bench.data.test, token, { name: 'colours' }, files);
    expect((await run(await shot('#00ff00'))).annotations?.classifications[0]?.label).toBe('green');
  });

  it('are for callers who may read model and picture', async () => {
    await model(colours);
    const id = await shot('#ff0000');
    const { machineId } = bench.data.test.first;
    const operator = await bench.data.tokenFor('robot_operator', machineId);
    expect((await run(id, '', operator)).version).toBe('1.0.0');
    const { organization } = await bench.data.owner('createOrganization', { name: 'Other' });
    const stranger = await bench.data.tokenFor('organization_owner', organization?.id ?? '');
    await expect(run(id, '', stranger)).rejects.toMatchObject({ code: NOT_FOUND });
    // A part may read the models of its organization, but no pictures.
    await expect(run(id, '', bench.data.partToken)).rejects.toMatchObject({ code: PERMISSION_DENIED });
  });

  it('stay loaded for a minute without use, at most two at once', async () => {
    const id = await shot('#ff0000');
    for (const version of ['1.0.0', '1.0.1', '1.0.2']) {
      await model(colours, { version });
      await run(id, version);
    }
    expect(await loaded()).toBe(2);
    clock.advance(60_000);
    await expect.poll(loaded).toBe(0);
    await run(id, '1.0.0');
    expect(await loaded()).toBe(1);
  });

  describe('tests of a classifier', () => {
    it('compare each answer with the labels that the model knows, and ignore other labels', async () => {
      await model(colours, { modelType: 'single_label_classification' });
      const ids = [
        await shot('#ff0000', ['red', 'line 3']),
        await shot('#00ff00', ['blue']),
        await shot('#0000ff', ['line 3']),
        await bench.add('this is no picture'),
      ];
      const [start, ...pictures] = await test();
      expect(start).toEqual({ $case: 'start', value: { version: '1.0.0', pictures: 4 } });
      const found = pictures.flatMap((part) => (part?.$case === 'picture' ? [part.value] : []));
      expect(found.map(({ binaryDataId }) => binaryDataId)).toEqual(ids);
      expect(found.map(({ verdict }) => verdict)).toEqual([RIGHT, WRONG, UNLABELLED, FAILED]);
      expect(found.map(({ answers }) => answers.map(({ label }) => label))).toEqual([['red'], ['green'], ['blue'], []]);
      expect(found.map((each) => each.labels)).toEqual([['red'], ['blue'], [], []]);
      expect(found[3]?.problem).toContain('cannot be read');
      const filter = { tagsFilter: { type: 1, tags: ['red'] }, locationIds: [], organizationIds: [], mimeType: [] };
      const byFilter = await test({ of: { $case: 'filter', value: filter as never }, limit: 1 });
      expect(byFilter).toHaveLength(2);
    });

    it('are refused for detectors, by their metadata or by their outputs', async () => {
      await shot('#ff0000', ['red']);
      await model(boxes, { version: '1.0.0', modelType: 'object_detection' });
      await model(boxes, { version: '1.0.1' });
      for (const version of ['1.0.0', '1.0.1']) {
        await expect(test({ version })).rejects.toMatchObject({
          code: FAILED_PRECONDITION,
          message: expect.stringContaining(`Model "colours" ${version} is a detector`) as string,
        });
      }
    });

    it('are refused without pictures, and for a model of 19 September 2023 with that date', async () => {
      await model(colours);
      await expect(test()).rejects.toMatchObject({
        message: expect.stringContaining('There are no pictures') as string,
      });
      await bench.end();
      await open(Date.UTC(2023, 8, 19, 23, 59));
      await model(colours);
      await expect(test()).rejects.toMatchObject({
        code: FAILED_PRECONDITION,
        message: expect.stringContaining('was uploaded on 2023-09-19') as string,
      });
    });
  });
});
