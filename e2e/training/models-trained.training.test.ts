import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DatasetServiceDefinition } from '../../proto/gen/core/app/dataset/v1/dataset.ts';
import {
  MLTrainingServiceDefinition,
  ModelType,
  TrainingStatus,
} from '../../proto/gen/core/app/mltraining/v1/ml_training.ts';
import { HubTrainingServiceDefinition } from '../../proto/gen/core/hub/v1/training.ts';
import { systemClock } from '../../src-main/base/clock.ts';
import { camera, DataBench, picture } from '../../src-main/hub/data/testing/data-bench.ts';
import { testStores } from '../../src-main/hub/storage/testing/test-stores.ts';
import { until } from '../harness/until.ts';
import { DeployedModel, unpackModel } from './deployed-model.ts';
import { shapePictures, SIZE } from './shape-pictures.ts';

const PICTURES = 60;
const LABELS = ['rectangle', 'circle'];
/** Seeds of cameras that are not used in training. */
const unseen = Array.from({ length: 40 }, (_, index) => 900_000 + index);
/** Most of it is waiting for other work of the computer. */
const LONGEST_MS = 30 * 60_000;

interface ModelCard {
  readonly metrics: Readonly<Record<string, number>>;
  readonly labels: readonly string[];
  readonly boxOrder?: readonly number[];
  readonly curve: readonly unknown[];
  readonly confusion_matrix: readonly unknown[];
  readonly worst_examples: readonly { readonly path: string; readonly loss: number }[];
  readonly outputs: readonly string[];
}

describe.each(testStores.slice(0, 1))('a hub that trains on this computer', (kind) => {
  let bench: DataBench;
  let organizationId = '';
  let datasetId = '';

  beforeEach(async () => {
    bench = await DataBench.open(kind, systemClock);
    organizationId = bench.test.first.organizationId;
    const made = { organizationId, name: 'Shapes' };
    datasetId = (await bench.test.call(DatasetServiceDefinition, 'createDataset', made, token())).id;
  });

  afterEach(() => bench.test.end());

  const token = () => ({ token: bench.ownerToken });
  const upload = (bytes: Uint8Array, tags: readonly string[] = []): Promise<string> =>
    bench.upload([picture(Date.now(), bytes)], { ...camera, tags: [...tags], datasetIds: [datasetId] });

  const label = async (isSingleKind: boolean): Promise<void> => {
    for await (const { jpeg, kinds, shapes } of shapePictures({ pictures: PICTURES, isSingleKind })) {
      const binaryDataId = await upload(jpeg, kinds);
      for (const { kind: shape, left, top, width, height } of shapes) {
        await bench.data('addBoundingBoxToImageByID', {
          binaryDataId,
          label: shape,
          xMinNormalized: left / SIZE.width,
          yMinNormalized: top / SIZE.height,
          xMaxNormalized: (left + width) / SIZE.width,
          yMaxNormalized: (top + height) / SIZE.height,
        });
      }
    }
  };

  const train = async (modelType: ModelType): Promise<string> => {
    const request = { organizationId, datasetId, modelName: 'shapes', modelVersion: '1', modelType, tags: LABELS };
    const { id } = await bench.test.call(MLTrainingServiceDefinition, 'submitTrainingJob', request, token());
    await until('the job ends', async () => [3, 4, 5].includes((await jobOf(id))?.status ?? 0), LONGEST_MS, 500);
    return id;
  };
  const jobOf = async (id: string) =>
    (await bench.test.call(MLTrainingServiceDefinition, 'getTrainingJob', { id }, token())).metadata;

  it.each([
    ['single label', ModelType.SINGLE_LABEL_CLASSIFICATION, 'accuracy', 0.95],
    ['multi label', ModelType.MULTI_LABEL_CLASSIFICATION, 'accuracy', 0.9],
    ['object detection', ModelType.OBJECT_DETECTION, 'mean_iou', 0.7],
  ] as const)('makes a good model of 60 pictures: %s', async (name, modelType, metric, least) => {
    await label(modelType === ModelType.SINGLE_LABEL_CLASSIFICATION);
    const id = await train(modelType);
    const job = await jobOf(id);
    expect(job?.errorStatus?.message).toBeUndefined();
    expect(job?.status).toBe(TrainingStatus.COMPLETED);
    const place = await unpackModel(bench.test.hub.parts.registry.others, organizationId, 'shapes');
    const card = JSON.parse(readFileSync(path.join(place, 'model.json'), 'utf8')) as ModelCard;
    const seconds = ((job?.trainingEnded?.getTime() ?? 0) - (job?.trainingStarted?.getTime() ?? 0)) / 1_000;
    const figures = JSON.stringify(card.metrics);
    process.stdout.write(`training: ${name}, validation pictures: ${figures}, ${seconds.toFixed(0)} s\n`);
    expect(card.metrics[metric]).toBeGreaterThan(least);
    expect(readFileSync(path.join(place, 'labels.txt'), 'utf8')).toBe('rectangle\ncircle\n');
    expect(card.labels).toEqual(LABELS);
    expect(card.worst_examples[0]?.loss).toBeGreaterThanOrEqual(card.worst_examples[1]?.loss ?? Infinity);
    const model = readFileSync(path.join(place, 'shapes.onnx'), 'latin1');
    for (const tensor of ['image', ...card.outputs]) expect(model).toContain(tensor);
    if (modelType === ModelType.OBJECT_DETECTION) {
      expect(card.outputs).toEqual(['location', 'category', 'score']);
      expect(card.boxOrder).toEqual([1, 0, 3, 2]);
    } else {
      expect(card.outputs).toEqual(['probability']);
    }
    const { epochs, results } = await bench.test.call(HubTrainingServiceDefinition, 'getJob', { id }, token());
    expect(epochs).toHaveLength(card.curve.length);
    expect(results).toMatchObject({ labels: LABELS, metrics: card.metrics });
    expect(results?.confusion).toHaveLength(modelType === ModelType.MULTI_LABEL_CLASSIFICATION ? LABELS.length : 1);
    expect(results?.worstPictures[0]?.binaryDataId).not.toBe('');
    await checkDeployed(place, modelType, name);
    rmSync(place, { recursive: true });
  });

  /** Checks that the model finds on a machine what its camera shows, for cameras without labelled pictures. */
  const checkDeployed = async (folder: string, modelType: ModelType, name: string): Promise<void> => {
    const deployed = new DeployedModel();
    try {
      const eyes = await deployed.open(folder, 'shapes');
      if (modelType === ModelType.OBJECT_DETECTION) {
        const compared = await deployed.compare(eyes, unseen);
        process.stdout.write(`training: ${name}, on a machine: ${JSON.stringify(compared)}\n`);
        expect(compared.meanOverlap).toBeGreaterThan(0.6);
        expect(compared.rightLabels).toBeGreaterThan(0.8);
      } else {
        let right = 0;
        for (const seed of unseen) {
          const camera = await deployed.camera(seed, 1);
          const [found] = await eyes.classificationsFromCamera('cam', 1);
          const truth = (await camera.doCommand?.({ truth: true }))?.['boxes'] as { label: string }[];
          if (found?.label === truth[0]?.label) right++;
        }
        process.stdout.write(`training: ${name}, on a machine: ${right} of ${unseen.length} are right\n`);
        expect(right / unseen.length).toBeGreaterThan(0.8);
      }
    } finally {
      await deployed.close();
    }
  };

  it('says which picture cannot be read', async () => {
    await label(true);
    await upload(Buffer.from('no picture'), ['circle']);
    const id = await train(ModelType.SINGLE_LABEL_CLASSIFICATION);
    expect((await jobOf(id))?.errorStatus?.message).toMatch(/^The picture data\/\S+\.jpg cannot be read/);
  });
});
