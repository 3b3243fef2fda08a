import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DatasetServiceDefinition } from '../../../proto/gen/core/app/dataset/v1/dataset.ts';
import {
  MLTrainingServiceDefinition,
  ModelFramework,
  ModelType,
  TrainingStatus,
  type SubmitCustomTrainingJobRequest,
} from '../../../proto/gen/core/app/mltraining/v1/ml_training.ts';
import { PackageType } from '../../../proto/gen/core/app/packages/v1/packages.ts';
import { AppServiceDefinition, Visibility } from '../../../proto/gen/core/app/v1/app.ts';
import { ManualClock } from '../../base/clock.ts';
import { StatusCode } from '../../base/status.ts';
import type { RequestOf, ResponseOf } from '../../rpc/service.ts';
import { camera, DataBench, picture } from '../data/testing/data-bench.ts';
import { archiveOf, onnxFile, uploadPackage } from '../registry/testing/upload-package.ts';
import { testStores } from '../storage/testing/test-stores.ts';
import { ScriptedRunner } from './testing/scripted-runner.ts';

type Methods = (typeof MLTrainingServiceDefinition)['methods'];

const { ALREADY_EXISTS, FAILED_PRECONDITION, INVALID_ARGUMENT, NOT_FOUND } = StatusCode;
const START = Date.UTC(2026, 0, 1);

describe.each(testStores)('training jobs with scripts of the registry on $name', (kind) => {
  let clock: ManualClock;
  let runner: ScriptedRunner;
  let bench: DataBench;
  let organizationId = '';
  let datasetId = '';

  beforeEach(async () => {
    clock = new ManualClock(START);
    runner = new ScriptedRunner();
    bench = await DataBench.open(kind, clock, undefined, { trainingRunner: runner });
    organizationId = bench.test.first.organizationId;
    const token = bench.ownerToken;
    const made = { organizationId, name: 'Screws' };
    datasetId = (await bench.test.call(DatasetServiceDefinition, 'createDataset', made, { token })).id;
    await bench.upload([picture(START, Buffer.from('one'))], { ...camera, tags: ['good'], datasetIds: [datasetId] });
    await bench.upload([picture(START + 1, Buffer.from('two'))], { ...camera, datasetIds: [datasetId] });
  });

  afterEach(() => bench.test.end());

  const ask = <K extends keyof Methods>(
    method: K,
    request: Partial<RequestOf<Methods[K]>>,
    token = bench.ownerToken,
  ): Promise<ResponseOf<Methods[K]>> => bench.test.call(MLTrainingServiceDefinition, method, request, { token });
  const publish = (version: string, metadata: Record<string, string> = {}, files = ['setup.py', 'model/training.py']) =>
    uploadPackage(
      bench.test,
      bench.ownerToken,
      { name: 'mine', version, type: PackageType.ML_TRAINING, metadata: { visibility: 'private', ...metadata } },
      archiveOf(files.map((name) => ({ name, content: `${name} ${version}` }))),
    );
  const request = (more: Partial<SubmitCustomTrainingJobRequest> = {}): Partial<SubmitCustomTrainingJobRequest> => ({
    ...{ organizationId, datasetId, modelName: 'screws', modelVersion: '1' },
    ...{ registryItemId: `${organizationId}:mine`, registryItemVersion: '1.0.0', arguments: { num_epochs: '3' } },
    ...more,
  });
  const submit = async (
    more: Partial<SubmitCustomTrainingJobRequest> = {},
    token = bench.ownerToken,
  ): Promise<string> => (await ask('submitCustomTrainingJob', request(more), token)).id;
  const settled = (id: string, status: TrainingStatus): Promise<void> =>
    vi.waitFor(async () => expect((await ask('getTrainingJob', { id })).metadata?.status).toBe(status), {
      timeout: 15_000,
    });

  it('run the requested version, on a dataset of any size, and keep all files that it writes', async () => {
    await publish('1.0.0', { model_type: 'object_detection' });
    const id = await submit({ containerVersion: 'tf:2.16' });
    const run = await runner.next();
    expect(run.task.script?.arguments).toEqual({ num_epochs: '3' });
    const folder = await mkdtemp(path.join(os.tmpdir(), 'armature-custom-'));
    const root = await run.task.script?.unpack(path.join(folder, 'script'), 1_000);
    expect(await readFile(path.join(root ?? '', 'model/training.py'), 'utf8')).toBe('model/training.py 1.0.0');
    await run.task.writeDataset(path.join(folder, 'dataset'));
    const lines = (await readFile(path.join(folder, 'dataset/dataset.jsonl'), 'utf8')).trimEnd().split('\n');
    // A custom script gets no special label for pictures without labels.
    expect(
      lines.map((line) => (JSON.parse(line) as { classification_annotations: unknown }).classification_annotations),
    ).toEqual([[{ annotation_label: 'good' }], []]);
    await rm(folder, { recursive: true });

    await run.leave({ 'net.onnx': onnxFile(), 'labels.txt': 'a\nb\n', 'more/notes.txt': 'x' });
    await settled(id, TrainingStatus.COMPLETED);
    expect((await ask('getTrainingJob', { id })).metadata).toMatchObject({
      ...{ isCustomJob: true, registryItemId: `${organizationId}:mine`, registryItemVersion: '1.0.0' },
      ...{ arguments: { num_epochs: '3' }, containerVersion: 'tf:2.16', tags: [] },
      ...{ modelType: ModelType.OBJECT_DETECTION, modelFramework: ModelFramework.UNSPECIFIED },
      syncedModelId: `${organizationId}/screws`,
    });
    const [model] = await bench.test.hub.parts.registry.others.list([organizationId], { type: 'ml_model' });
    expect(model).toMatchObject({
      ...{ name: 'screws', version: '1' },
      metadata: { labels: ['a', 'b'], model_file: 'net.onnx', model_framework: 'onnx', model_type: 'object_detection' },
    });
    expect(model?.files.map(({ name }) => name)).toEqual(['model.json', 'labels.txt', 'more/notes.txt', 'net.onnx']);
  });

  it('have scripts that public tools find as items of the registry', async () => {
    await publish('1.0.0');
    clock.advance(1_000);
    await publish('1.0.1', { model_type: 'object_detection', model_framework: 'tflite' });
    const itemId = `${organizationId}:mine`;
    const item = async (token = bench.ownerToken) =>
      (await bench.test.call(AppServiceDefinition, 'getRegistryItem', { itemId }, { token })).item;
    expect(await item()).toMatchObject({
      ...{ itemId, organizationId, name: 'mine', type: PackageType.ML_TRAINING, visibility: Visibility.PRIVATE },
      metadata: {
        $case: 'mlTrainingMetadata',
        value: {
          ...{ modelType: ModelType.OBJECT_DETECTION, modelFramework: ModelFramework.TFLITE, draft: false },
          versions: [{ version: '1.0.1' }, { version: '1.0.0' }],
        },
      },
      ...{ createdAt: new Date(START), updatedAt: new Date(START + 1_000) },
    });
    const { organization } = await bench.owner('createOrganization', { name: 'Other' });
    const stranger = await bench.tokenFor('organization_owner', organization?.id ?? '');
    await expect(item(stranger)).rejects.toMatchObject({ code: NOT_FOUND });
    clock.advance(1_000);
    await publish('1.0.2', { visibility: 'public' });
    expect(await item(stranger)).toMatchObject({
      visibility: Visibility.PUBLIC,
      metadata: { value: { versions: [{ version: '1.0.2' }] } },
    });
  });

  it('run the newest version if none is requested', async () => {
    await publish('1.0.0');
    clock.advance(1_000);
    await publish('2.0.0');
    const id = await submit({ registryItemVersion: '' });
    expect((await ask('getTrainingJob', { id })).metadata?.registryItemVersion).toBe('2.0.0');
  });

  it('fail if the version was deleted before they started', async () => {
    await publish('1.0.0');
    const id = await submit();
    const run = await runner.next();
    const wanted = { organizationId, type: 'ml_training', name: 'mine', version: '1.0.0' } as const;
    await bench.test.hub.parts.registry.others.delete(wanted);
    await expect(run.task.script?.unpack(os.tmpdir(), 1)).rejects.toThrow(/training script ".*:mine 1.0.0"/);
    await ask('cancelTrainingJob', { id });
    await settled(id, TrainingStatus.CANCELED);
  });

  it('run public scripts of other organizations, and no private ones', async () => {
    await publish('1.0.0');
    await publish('1.0.1', { visibility: 'public' });
    const { organization } = await bench.owner('createOrganization', { name: 'Other' });
    const other = organization?.id ?? '';
    const stranger = await bench.tokenFor('organization_owner', other);
    const made = { organizationId: other, name: 'Theirs' };
    const theirs = (await bench.test.call(DatasetServiceDefinition, 'createDataset', made, { token: stranger })).id;
    const own = { organizationId: other, datasetId: theirs };
    await expect(submit({ ...own, registryItemVersion: '1.0.0' }, stranger)).rejects.toMatchObject({ code: NOT_FOUND });
    // The script is found: only the dataset is refused.
    const seen = submit({ ...own, registryItemVersion: '1.0.1' }, stranger);
    await expect(seen).rejects.toMatchObject({
      code: FAILED_PRECONDITION,
      message: expect.stringMatching(/no pictures/) as string,
    });
    await expect(submit({ ...own, datasetId }, stranger)).rejects.toMatchObject({ code: NOT_FOUND });
  });

  it.each<[string, Partial<SubmitCustomTrainingJobRequest>, StatusCode, RegExp]>([
    ['a script that is none', { registryItemId: 'mine' }, INVALID_ARGUMENT, /registry_item_id/],
    ['a script of nobody', { registryItemId: 'nobody:mine' }, NOT_FOUND, /training script "nobody:mine 1\.0\.0"/],
    ['a version that is not there', { registryItemVersion: '9' }, NOT_FOUND, /training script ".*:mine 9"/],
    ['an argument that is none', { arguments: { 'a b': '1' } }, INVALID_ARGUMENT, /"arguments": .*"a b"/],
    ['an argument of the hub', { arguments: { dataset_file: '/x' } }, INVALID_ARGUMENT, /given by the hub/],
    ['no name', { modelName: '' }, INVALID_ARGUMENT, /model_name/],
    ['no dataset', { datasetId: 'none' }, NOT_FOUND, /dataset "none"/],
  ])('with %s are refused, and nothing is kept of them', async (_what, more, code, message) => {
    await publish('1.0.0');
    await expect(submit(more)).rejects.toMatchObject({ code, message: expect.stringMatching(message) as string });
    expect((await ask('listTrainingJobs', { organizationId })).jobs).toEqual([]);
  });

  it('need a version that no other job has', async () => {
    await publish('1.0.0');
    await submit();
    await expect(submit()).rejects.toMatchObject({ code: ALREADY_EXISTS });
  });

  it('are refused where no programs may be started', async () => {
    await publish('1.0.0');
    await bench.restart(kind, clock, { isEnvironmentUntrusted: true });
    const message = expect.stringContaining('-untrusted-env') as string;
    await expect(submit()).rejects.toMatchObject({ code: FAILED_PRECONDITION, message });
  });

  it('are not published without an entry point', async () => {
    const wrong = publish('1.0.0', {}, ['setup.py', 'train.py']);
    await expect(wrong).rejects.toThrow(/it has no model\/training\.py/);
    expect(await bench.test.hub.parts.registry.others.list([organizationId])).toEqual([]);
  });
});
