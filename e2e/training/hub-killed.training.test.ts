import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { DatasetServiceDefinition } from '../../proto/gen/core/app/dataset/v1/dataset.ts';
import { DataSyncServiceDefinition } from '../../proto/gen/core/app/datasync/v1/data_sync.ts';
import {
  MLTrainingServiceDefinition,
  ModelFramework,
  ModelType,
  TrainingStatus,
} from '../../proto/gen/core/app/mltraining/v1/ml_training.ts';
import { HubTrainingServiceDefinition } from '../../proto/gen/core/hub/v1/training.ts';
import { camera, picture, uploadMetadata } from '../../src-main/hub/data/testing/data-bench.ts';
import { Fleet } from '../harness/joined-machine.ts';
import { until } from '../harness/until.ts';
import { processesWith } from '../soak/marked-processes.ts';
import { shapePictures } from './shape-pictures.ts';

const LONGEST_MS = 10 * 60_000;

it('leaves nothing running when it is killed, begins the job anew once, and cancels it', async () => {
  const fleet = await Fleet.start();
  const { organizationId } = fleet;
  const partId = await fleet.partId();
  const dataset = { organizationId, name: 'Shapes', type: undefined };
  const { id: datasetId } = await fleet.call(DatasetServiceDefinition, 'createDataset', dataset);
  for await (const { jpeg, kinds } of shapePictures({ pictures: 30, isSingleKind: true })) {
    const metadata = uploadMetadata(partId, { ...camera, tags: [...kinds], datasetIds: [datasetId] });
    const sensorContents = [picture(Date.now(), jpeg)];
    await fleet.call(DataSyncServiceDefinition, 'dataCaptureUpload', { metadata, sensorContents });
  }
  const { id } = await fleet.call(MLTrainingServiceDefinition, 'submitTrainingJob', {
    ...{ organizationId, datasetId, modelName: 'shapes', modelVersion: '1', tags: ['rectangle', 'circle'] },
    ...{ modelType: ModelType.SINGLE_LABEL_CLASSIFICATION, modelFramework: ModelFramework.UNSPECIFIED },
  });
  const runs = path.join(fleet.hub.data, 'training/runs');
  const running = (): number[] => processesWith('TMPDIR', path.join(runs, id, 'temporary'));
  const hasBegun = (attempts: number): Promise<void> => {
    const holds = async (): Promise<boolean> => {
      const { job, epochs } = await fleet.call(HubTrainingServiceDefinition, 'getJob', { id });
      expect(job?.metadata?.errorStatus?.message).toBeUndefined();
      return job?.attempts === attempts && epochs.length > 0;
    };
    return until(`attempt ${attempts} trains`, holds, LONGEST_MS, 200);
  };
  const again = async (): Promise<void> => {
    await fleet.restart();
    fleet.owner = await fleet.logIn();
  };

  await hasBegun(1);
  expect(running().length).toBeGreaterThan(0);
  await fleet.hub.crash();
  await until('the training has ended', () => running().length === 0, 15_000);
  await again();
  await hasBegun(2);

  // A regular stop does not count.
  await fleet.hub.stop();
  expect(running()).toEqual([]);
  await again();
  await hasBegun(2);

  await fleet.call(MLTrainingServiceDefinition, 'cancelTrainingJob', { id });
  const isCanceled = async (): Promise<boolean> =>
    (await fleet.call(MLTrainingServiceDefinition, 'getTrainingJob', { id })).metadata?.status ===
    TrainingStatus.CANCELED;
  await until('the job is canceled', isCanceled, 30_000);
  expect(running()).toEqual([]);
  expect(readdirSync(runs)).toEqual([]);
});
