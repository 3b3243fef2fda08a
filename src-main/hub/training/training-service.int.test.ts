import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DatasetServiceDefinition } from '../../../proto/gen/core/app/dataset/v1/dataset.ts';
import {
  MLTrainingServiceDefinition,
  ModelFramework,
  ModelType,
  TrainingStatus,
  type SubmitTrainingJobRequest,
} from '../../../proto/gen/core/app/mltraining/v1/ml_training.ts';
import { HubDatasetServiceDefinition } from '../../../proto/gen/core/hub/v1/dataset.ts';
import {
  HubTrainingServiceDefinition,
  TrainingProblemCode,
  type PrepareJobRequest,
  type TrainingProblem,
  type TrainingSettings as SettingsMessage,
} from '../../../proto/gen/core/hub/v1/training.ts';
import { ManualClock } from '../../base/clock.ts';
import { ArmatureError } from '../../base/errors.ts';
import { silentLogger } from '../../base/logger.ts';
import { StatusCode } from '../../base/status.ts';
import type { RequestOf, ResponseOf } from '../../rpc/service.ts';
import { camera, DataBench, picture } from '../data/testing/data-bench.ts';
import { openStore } from '../storage/open-store.ts';
import { testStores } from '../storage/testing/test-stores.ts';
import { TestHub } from '../testing/test-hub.ts';
import { ScriptedRunner, type ScriptedRun } from './testing/scripted-runner.ts';

type Methods = (typeof MLTrainingServiceDefinition)['methods'];
type DatasetMethods = (typeof HubDatasetServiceDefinition)['methods'];
type HubMethods = (typeof HubTrainingServiceDefinition)['methods'];

const { ALREADY_EXISTS, FAILED_PRECONDITION, INVALID_ARGUMENT, NOT_FOUND, PERMISSION_DENIED } = StatusCode;
const START = Date.UTC(2026, 0, 1);

describe.each(testStores)('training jobs on $name', (kind) => {
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
    const made = { organizationId, name: 'Screws' };
    datasetId = (await bench.test.call(DatasetServiceDefinition, 'createDataset', made, { token: bench.ownerToken }))
      .id;
    for (let index = 0; index < 20; index++) {
      const tags = [index % 2 === 0 ? 'good' : 'bad'];
      await bench.upload([picture(START + index, Buffer.from(`picture ${index}`))], {
        ...camera,
        tags,
        datasetIds: [datasetId],
      });
    }
  });

  afterEach(() => bench.test.end());

  const ask = <K extends keyof Methods>(
    method: K,
    request: Partial<RequestOf<Methods[K]>>,
    token = bench.ownerToken,
  ): Promise<ResponseOf<Methods[K]>> => bench.test.call(MLTrainingServiceDefinition, method, request, { token });
  const askHub = <K extends keyof HubMethods>(
    method: K,
    request: Partial<RequestOf<HubMethods[K]>> = {},
    token = bench.ownerToken,
  ): Promise<ResponseOf<HubMethods[K]>> => bench.test.call(HubTrainingServiceDefinition, method, request, { token });
  const request = (more: Partial<SubmitTrainingJobRequest> = {}): Partial<SubmitTrainingJobRequest> => ({
    organizationId,
    datasetId,
    modelName: 'screws',
    modelVersion: '1',
    modelType: ModelType.SINGLE_LABEL_CLASSIFICATION,
    tags: ['good', 'bad'],
    ...more,
  });
  const submit = async (modelVersion = '1', more: Partial<SubmitTrainingJobRequest> = {}): Promise<string> =>
    (await ask('submitTrainingJob', request({ modelVersion, ...more }))).id;
  const statusOf = async (id: string) => (await ask('getTrainingJob', { id })).metadata?.status;
  const settled = (id: string, status: TrainingStatus): Promise<void> =>
    vi.waitFor(async () => expect(await statusOf(id)).toBe(status), { timeout: 15_000 });
  const askDataset = <K extends keyof DatasetMethods>(
    method: K,
    request: Partial<RequestOf<DatasetMethods[K]>>,
  ): Promise<ResponseOf<DatasetMethods[K]>> =>
    bench.test.call(HubDatasetServiceDefinition, method, request, { token: bench.ownerToken });
  const snapshots = async () => (await askDataset('listSnapshots', { datasetId })).snapshots;
  const deleteDataset = () =>
    bench.test.call(DatasetServiceDefinition, 'deleteDataset', { id: datasetId }, { token: bench.ownerToken });
  /** The content of `model.json` of a version. */
  const cardOf = async (name: string, version: string): Promise<unknown> => {
    const { others } = bench.test.hub.parts.registry;
    const wanted = { organizationId, type: 'ml_model', name, version } as const;
    const files = extract();
    const reading = pipeline(await others.open(await others.get(wanted), 0), createGunzip(), files);
    // It is destroyed when the file is found.
    reading.catch(() => undefined);
    for await (const file of files) {
      if (file.header.name === 'model.json') return JSON.parse(await text(file)) as unknown;
      file.resume();
    }
    await reading;
    throw new Error('the package has no model.json');
  };
  const failed = (run: ScriptedRun): void =>
    run.end({ kind: 'failed', code: 'call.failed_precondition', message: 'The loss became nan in epoch 2.' });

  it('are trained on a snapshot of the dataset, and the model is stored with its card', async () => {
    const id = await submit();
    const run = await runner.next();
    expect(await statusOf(id)).toBe(TrainingStatus.RUNNING);
    // Changes of the dataset from now on do not concern this job.
    const { binaryDataIds } = await askDataset('pictures', { datasetId });
    await bench.data('deleteBinaryDataByIDs', { binaryDataIds });
    const folder = await mkdtemp(path.join(os.tmpdir(), 'armature-written-'));
    await run.task.writeDataset(folder);
    const lines = (await readFile(path.join(folder, 'dataset.jsonl'), 'utf8')).trimEnd().split('\n');
    expect(lines).toHaveLength(20);
    const first = JSON.parse(lines[0] ?? '') as { image_path: string };
    expect(first).toMatchObject({
      image_path: `data/${binaryDataIds[0]}.jpg`,
      classification_annotations: [{ annotation_label: 'good' }],
      bounding_box_annotations: [],
    });
    expect(await readFile(path.join(folder, first.image_path), 'utf8')).toBe('picture 0');
    await rm(folder, { recursive: true });

    run.events.log('info', 'Read 20 pictures.');
    run.events.epoch({ epoch: 1, of: 60, loss: 0.5, metrics: { f1: 0.25 } });
    run.events.epoch({ epoch: 2, of: 60, loss: 0.25, metrics: { f1: 0.5 } });
    clock.advance(1_000);
    await run.train();
    await settled(id, TrainingStatus.COMPLETED);
    const { metadata } = await ask('getTrainingJob', { id });
    expect(metadata).toMatchObject({
      syncedModelId: `${organizationId}/screws`,
      trainingStarted: new Date(START),
      trainingEnded: new Date(START + 1_000),
      modelFramework: ModelFramework.ONNX,
      tags: ['good', 'bad'],
      errorStatus: undefined,
    });
    const { job, epochs, results } = await askHub('getJob', { id });
    expect(job).toMatchObject({ queuePosition: 0, attempts: 1, snapshot: 1n, progress: { epoch: 2, of: 60 } });
    expect(job?.snapshotId).not.toBe('');
    expect(job?.lastNews).toEqual(new Date(START + 1_000));
    expect(results).toMatchObject({ labels: [], metrics: { f1: 1 }, confusion: [], seed: undefined });
    expect(epochs.map(({ loss }) => loss)).toEqual([0.5, 0.25]);
    const [model] = await bench.test.hub.parts.registry.others.list([organizationId], { type: 'ml_model' });
    expect(model).toMatchObject({ name: 'screws', version: '1', metadata: { labels: ['bad', 'good'] } });
    expect(model?.files.map(({ name }) => name)).toEqual(['model.json', 'labels.txt', 'screws.onnx']);
    const [snapshot] = await snapshots();
    expect(snapshot).toMatchObject({ number: 1, id: job?.snapshotId });
    expect(await cardOf('screws', '1')).toMatchObject({ snapshot: `${datasetId}@1`, snapshot_id: snapshot?.id });
    const { logs, nextPageToken } = await ask('getTrainingJobLogs', { id });
    expect(logs.map(({ level, message }) => [level, message])).toEqual([
      ['info', 'Read 20 pictures.'],
      ['info', 'The model is stored as version 1 of screws.'],
    ]);
    expect(nextPageToken).toBe('');
  });

  it('have a log that public clients read to its current end, while our client knows that more may come', async () => {
    const id = await submit('1');
    const run = await runner.next();
    for (let line = 1; line <= 120; line++) run.events.log('info', `line ${line}`);
    await run.events.stored();
    const first = await ask('getTrainingJobLogs', { id });
    expect([first.logs.length, first.nextPageToken === '']).toEqual([100, false]);
    const rest = await ask('getTrainingJobLogs', { id, pageToken: first.nextPageToken });
    expect([rest.logs.length, rest.nextPageToken]).toEqual([20, '']);
    const ours = await askHub('getJobLog', { id, pageToken: first.nextPageToken });
    expect([ours.logs.length, ours.isOver]).toEqual([20, false]);
    await run.train();
    await settled(id, TrainingStatus.COMPLETED);
    const last = await askHub('getJobLog', { id, pageToken: ours.nextPageToken });
    expect([last.logs.map(({ message }) => message), last.isOver]).toEqual([
      ['The model is stored as version 1 of screws.'],
      true,
    ]);
    await expect(askHub('getJobLog', { id, pageToken: 'x' })).rejects.toMatchObject({ code: INVALID_ARGUMENT });
  });

  it('wait in the order in which they were submitted, one at a time, or as many as the settings say', async () => {
    const ids = [await submit('1'), await submit('2'), await submit('3')];
    const first = await runner.next();
    const positions = async (): Promise<number[]> =>
      (await askHub('listJobs', { organizationId })).jobs.map(({ queuePosition }) => queuePosition).reverse();
    expect(await positions()).toEqual([0, 1, 2]);
    failed(first);
    const second = await runner.next();
    expect(second.task.jobId).toBe(ids[1]);
    expect(await positions()).toEqual([0, 0, 1]);
    const settings = {
      jobsAtOnce: 2,
      python: '',
      cpus: 0,
      memoryMb: 0,
      diskMb: 0,
      timeLimitMinutes: 0,
      runner: '',
      slurm: undefined,
    };
    await askHub('setTrainingSettings', { settings });
    expect((await runner.next()).task.jobId).toBe(ids[2]);
    expect((await askHub('getTrainingSettings')).settings).toMatchObject({ jobsAtOnce: 2, python: '/usr/bin/python3' });
    const wrong = askHub('setTrainingSettings', { settings: { ...settings, python: 'python3' } });
    await expect(wrong).rejects.toMatchObject({ code: INVALID_ARGUMENT });
    const { jobs } = await ask('listTrainingJobs', { organizationId, status: TrainingStatus.FAILED });
    expect(jobs.map(({ id, errorStatus }) => [id, errorStatus?.code, errorStatus?.message])).toEqual([
      [ids[0], FAILED_PRECONDITION, 'The loss became nan in epoch 2.'],
    ]);
    expect((await ask('listTrainingJobs', { organizationId })).jobs.map(({ id }) => id)).toEqual(ids.toReversed());
  });

  it('are reported as pending while they wait in the queue of their runner, with its reason', async () => {
    const id = await submit();
    const run = await runner.next();
    run.events.state({ isWaiting: true, note: 'No node is free.', noNewsSince: START + 500 });
    const listed = async (status: TrainingStatus): Promise<string[]> =>
      (await ask('listTrainingJobs', { organizationId, status })).jobs.map((job) => job.id);
    const waiting = (await askHub('getJob', { id })).job;
    expect(waiting).toMatchObject({ runnerNote: 'No node is free.', noNewsSince: new Date(START + 500) });
    expect(waiting?.metadata).toMatchObject({ status: TrainingStatus.PENDING, trainingStarted: undefined });
    expect([await listed(TrainingStatus.PENDING), await listed(TrainingStatus.RUNNING)]).toEqual([[id], []]);

    clock.advance(60_000);
    run.events.state({ isWaiting: false, note: '' });
    await run.events.stored();
    const begun = (await askHub('getJob', { id })).job;
    expect(begun).toMatchObject({ runnerNote: '', noNewsSince: undefined });
    expect(begun?.metadata).toMatchObject({
      status: TrainingStatus.RUNNING,
      trainingStarted: new Date(START + 60_000),
    });
    expect([await listed(TrainingStatus.PENDING), await listed(TrainingStatus.RUNNING)]).toEqual([[], [id]]);

    run.events.state({ isWaiting: true, note: 'It waits again.' });
    await ask('cancelTrainingJob', { id });
    await settled(id, TrainingStatus.CANCELED);
  });

  it('run where the settings say; wrong settings are refused with the name of the field', async () => {
    const usual = { jobsAtOnce: 0, python: '', cpus: 0, memoryMb: 0, diskMb: 0, timeLimitMinutes: 0 };
    const slurm = { sharedFolder: '/shared', partition: 'gpu', account: 'lab', options: ['--gres=gpu:1'] };
    expect((await askHub('getTrainingSettings')).settings).toMatchObject({
      runner: 'local',
      slurm: { sharedFolder: '' },
    });
    await askHub('setTrainingSettings', { settings: { ...usual, runner: 'slurm', slurm } });
    expect((await askHub('getTrainingSettings')).settings).toMatchObject({ runner: 'slurm', slurm });
    for (const [settings, message] of [
      [{ ...usual, runner: 'cloud', slurm }, /"runner" is "cloud"; allowed are local and slurm/],
      [{ ...usual, runner: 'slurm', slurm: undefined }, /"slurm\.shared_folder" is ""/],
      [{ ...usual, runner: '', slurm: { ...slurm, options: ['--wrap=id'] } }, /"slurm\.options" is "--wrap=id"/],
    ] satisfies [SettingsMessage, RegExp][]) {
      await expect(askHub('setTrainingSettings', { settings })).rejects.toMatchObject({
        code: INVALID_ARGUMENT,
        message: expect.stringMatching(message) as string,
      });
    }
    expect((await askHub('getTrainingSettings')).settings).toMatchObject({ runner: 'slurm', slurm });
  });

  it('are canceled in the queue and while they run, and not when they have ended', async () => {
    const [running, waiting] = [await submit('1'), await submit('2')];
    const run = await runner.next();
    await ask('cancelTrainingJob', { id: waiting });
    expect(await statusOf(waiting)).toBe(TrainingStatus.CANCELED);
    await ask('cancelTrainingJob', { id: running });
    expect(run.signal.aborted).toBe(true);
    await settled(running, TrainingStatus.CANCELED);
    for (const id of [running, waiting]) {
      await expect(ask('cancelTrainingJob', { id })).rejects.toMatchObject({ code: FAILED_PRECONDITION });
    }
    const failing = await submit('1');
    failed(await runner.next());
    await settled(failing, TrainingStatus.FAILED);
    await expect(ask('cancelTrainingJob', { id: failing })).rejects.toMatchObject({ code: FAILED_PRECONDITION });
    expect(runner.runs).toHaveLength(2);
  });

  it('that are canceled while their script ends are canceled, or the cancellation is refused', async () => {
    for (const [version, end] of [
      ['1', failed],
      ['2', (run: ScriptedRun) => void run.train()],
    ] as const) {
      const id = await submit(version);
      const run = await runner.next();
      const canceled = ask('cancelTrainingJob', { id });
      end(run);
      // Both are right: canceled, or refused because it was too late. The status has to agree.
      const outcome = await canceled.then(
        () => TrainingStatus.CANCELED,
        () => (version === '1' ? TrainingStatus.FAILED : TrainingStatus.COMPLETED),
      );
      await settled(id, outcome);
    }
  });

  it('are deleted when they have ended, with their log', async () => {
    const id = await submit();
    await expect(ask('deleteCompletedTrainingJob', { id })).rejects.toMatchObject({ code: FAILED_PRECONDITION });
    await ask('cancelTrainingJob', { id });
    await settled(id, TrainingStatus.CANCELED);
    await ask('deleteCompletedTrainingJob', { id });
    for (const method of ['getTrainingJob', 'getTrainingJobLogs', 'deleteCompletedTrainingJob'] as const) {
      await expect(ask(method, { id })).rejects.toMatchObject({ code: NOT_FOUND });
    }
  });

  it('need a version that no other job has, and that the model does not have', async () => {
    const id = await submit('1');
    await expect(submit('1')).rejects.toMatchObject({ code: ALREADY_EXISTS });
    const both = await Promise.allSettled([submit('2'), submit('2')]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await (await runner.next()).train();
    await settled(id, TrainingStatus.COMPLETED);
    await expect(submit('1')).rejects.toMatchObject({ code: ALREADY_EXISTS });
    // The job may be deleted; its model still exists.
    await ask('deleteCompletedTrainingJob', { id });
    await expect(submit('1')).rejects.toMatchObject({ code: ALREADY_EXISTS });
    failed(await runner.next());
    await vi.waitFor(async () => void (await submit('2')));
  });

  it.each<[string, Partial<SubmitTrainingJobRequest>, StatusCode, RegExp]>([
    ['no name', { modelName: '' }, INVALID_ARGUMENT, /model_name/],
    ['a path as its name', { modelName: '../x' }, INVALID_ARGUMENT, /model_name/],
    ['a path as its version', { modelVersion: '..' }, INVALID_ARGUMENT, /model_version/],
    ['a channel as its version', { modelVersion: 'latest' }, INVALID_ARGUMENT, /model_version/],
    ['no type', { modelType: ModelType.UNSPECIFIED }, INVALID_ARGUMENT, /model_type/],
    ['another framework', { modelFramework: ModelFramework.TFLITE }, INVALID_ARGUMENT, /TFLITE/],
    ['no labels', { tags: [] }, INVALID_ARGUMENT, /tags/],
    ['one label', { tags: ['good', 'good'] }, INVALID_ARGUMENT, /There are 1 labels, and a job needs at least 2/],
    ['labels that mean none', { tags: ['good', 'VIAM_UNKNOWN'] }, INVALID_ARGUMENT, /VIAM_UNKNOWN/],
    ['no dataset', { datasetId: 'none' }, NOT_FOUND, /dataset "none"/],
    [
      'a label with too few',
      { tags: ['good', 'ugly'] },
      FAILED_PRECONDITION,
      /0 of at least 10 pictures have the label "ugly"/,
    ],
    ['no boxes', { modelType: ModelType.OBJECT_DETECTION }, FAILED_PRECONDITION, /0 of 20 pictures have boxes/],
  ])('with %s are refused, and nothing is kept of them', async (_what, more, code, message) => {
    await expect(submit('1', more)).rejects.toMatchObject({ code, message: expect.stringMatching(message) as string });
    expect(await snapshots()).toEqual([]);
    expect((await ask('listTrainingJobs', { organizationId })).jobs).toEqual([]);
  });

  it('share a snapshot while the dataset is unchanged, and get a new one after a change', async () => {
    const numbers = async () => (await askHub('listJobs', { organizationId })).jobs.map(({ snapshot }) => snapshot);
    await submit('1');
    await submit('2');
    expect(await numbers()).toEqual([1n, 1n]);
    const [binaryDataId = ''] = (await askDataset('pictures', { datasetId })).binaryDataIds;
    await askDataset('changeLabels', { binaryDataId, addTags: ['odd'] });
    await submit('3');
    expect(await numbers()).toEqual([2n, 1n, 1n]);
    expect((await runner.next()).task.snapshot).toBe(`${datasetId}@1`);
  });

  it('protect their snapshot from deletion while they wait and run, and while their model exists', async () => {
    const [first, second] = [await submit('1'), await submit('2')];
    const [snapshot] = await snapshots();
    const id = snapshot?.id ?? '';
    const refused = async (message: RegExp): Promise<void> => {
      const error = { code: FAILED_PRECONDITION, message: expect.stringMatching(message) as string };
      await expect(askDataset('deleteSnapshot', { id })).rejects.toMatchObject(error);
      await expect(deleteDataset()).rejects.toMatchObject(error);
    };
    await refused(new RegExp(`Snapshot 1 is used by the training job "${first}"`));
    await ask('cancelTrainingJob', { id: second });
    await (await runner.next()).train();
    await settled(first, TrainingStatus.COMPLETED);
    await ask('deleteCompletedTrainingJob', { id: first });
    await refused(/Snapshot 1 is used by version "1" of the model "screws", which was trained on it: delete/);
    await bench.test.hub.parts.registry.others.delete({
      ...{ organizationId, type: 'ml_model', name: 'screws', version: '1' },
    });
    await deleteDataset();
  });

  it('allow the deletion of their snapshot if the caller insists, or if they failed', async () => {
    const id = await submit();
    failed(await runner.next());
    await settled(id, TrainingStatus.FAILED);
    const [unused] = await snapshots();
    await askDataset('deleteSnapshot', { id: unused?.id ?? '' });
    const trained = await submit();
    await (await runner.next()).train();
    await settled(trained, TrainingStatus.COMPLETED);
    const [used] = await snapshots();
    expect(used?.number).toBe(2);
    await askDataset('deleteSnapshot', { id: used?.id ?? '', thoughTrainedOn: true });
    expect(await snapshots()).toEqual([]);
  });

  it('have results from the card of their model', async () => {
    const id = await submit();
    const run = await runner.next();
    expect((await askHub('getJob', { id })).results).toBeUndefined();
    await run.train({
      labels: ['bad', 'good'],
      metrics: { accuracy: 0.75 },
      confusion_matrix: [
        [3, 1],
        [0, 4],
      ],
      worst_examples: [{ path: 'data/x.jpg', binary_data_id: 'x', loss: 2.5, is_validation: true }],
      pictures: { training: 16, validation: 4 },
      seed: 7,
    });
    await settled(id, TrainingStatus.COMPLETED);
    expect((await askHub('getJob', { id })).results).toEqual({
      labels: ['bad', 'good'],
      metrics: { accuracy: 0.75 },
      confusion: [{ label: '', names: ['bad', 'good'], rows: [{ counts: [3, 1] }, { counts: [0, 4] }] }],
      worstPictures: [{ binaryDataId: 'x', path: 'data/x.jpg', loss: 2.5, isValidation: true }],
      ...{ bestEpoch: 0, trainingPictures: 16, validationPictures: 4, seed: 7n, framework: '' },
    });
  });

  it('have the time of their last news', async () => {
    const id = await submit();
    const run = await runner.next();
    const lastNews = async () => (await askHub('listJobs', { organizationId })).jobs[0]?.lastNews?.getTime();
    expect(await lastNews()).toBe(START);
    clock.advance(5_000);
    run.events.epoch({ epoch: 1, of: 60, loss: 0.5, metrics: {} });
    await vi.waitFor(async () => expect(await lastNews()).toBe(START + 5_000));
    clock.advance(5_000);
    run.events.log('info', 'Still here.');
    clock.advance(1_000);
    await vi.waitFor(async () => expect(await lastNews()).toBe(START + 10_000));
    expect(await statusOf(id)).toBe(TrainingStatus.RUNNING);
  });

  describe('before they are submitted', () => {
    const prepare = (more: Partial<PrepareJobRequest> = {}) =>
      askHub('prepareJob', { organizationId, datasetId, ...more });
    const codes = (problems: readonly TrainingProblem[]) => problems.map(({ code, label }) => [code, label]);

    it('are proposed from the dataset: name, version, type and labels', async () => {
      const proposed = await prepare();
      expect(proposed).toMatchObject({
        ...{ modelType: ModelType.SINGLE_LABEL_CLASSIFICATION, modelName: 'screws', modelVersion: '1' },
        ...{ labels: ['bad', 'good'], proposedName: 'screws', nextVersion: '1', versionHolder: undefined },
        counts: { pictures: 20, tagged: 20, boxed: 0, tags: [{ label: 'bad', pictures: 10 }, { label: 'good' }] },
        ...{ labelledPictures: 20, problems: [], canSubmit: true },
      });
      const { modelName, modelVersion, modelType, labels: tags } = proposed;
      await submit(modelVersion, { modelName, modelType, tags });
      expect((await ask('listTrainingJobs', { organizationId })).jobs).toHaveLength(1);
    });

    it('show who has the requested version, and which version is free', async () => {
      const id = await submit('1.0.9');
      const taken = await prepare({ modelVersion: '1.0.9' });
      expect(taken).toMatchObject({
        ...{ modelVersion: '1.0.9', nextVersion: '1.0.10', canSubmit: false },
        versionHolder: { holder: { $case: 'jobId', value: id } },
      });
      expect(codes(taken.problems)).toEqual([[TrainingProblemCode.VERSION_TAKEN, '']]);
      await (await runner.next()).train();
      await settled(id, TrainingStatus.COMPLETED);
      await ask('deleteCompletedTrainingJob', { id });
      expect((await prepare({ modelVersion: '1.0.9' })).versionHolder).toEqual({
        holder: { $case: 'packageId', value: `${organizationId}/screws` },
      });
      expect(await prepare({ modelName: 'nuts', modelVersion: '1.0.9' })).toMatchObject({
        ...{ proposedName: 'screws', modelName: 'nuts', nextVersion: '1', canSubmit: true },
      });
    });

    it.each<[string, Partial<PrepareJobRequest>, [TrainingProblemCode, string][]]>([
      ['name', { modelName: 'a b' }, [[TrainingProblemCode.MODEL_NAME, '']]],
      ['version', { modelVersion: 'latest' }, [[TrainingProblemCode.MODEL_VERSION, '']]],
      ['no labels', { labels: { labels: [] } }, [[TrainingProblemCode.LABELS, '']]],
      ['one label', { labels: { labels: ['good'] } }, [[TrainingProblemCode.LABELS, '']]],
      [
        'a label that is not there',
        { labels: { labels: ['good', 'ugly'] } },
        [[TrainingProblemCode.RARE_LABEL, 'ugly']],
      ],
      [
        'boxes that are not there',
        { modelType: ModelType.OBJECT_DETECTION, modelName: '' },
        [
          [TrainingProblemCode.LABELLED, ''],
          [TrainingProblemCode.LABELS, ''],
          [TrainingProblemCode.MODEL_NAME, ''],
        ],
      ],
      [
        'a label that can be none',
        { labels: { labels: ['good', 'bad', 'VIAM_UNKNOWN'] } },
        [
          [TrainingProblemCode.RARE_LABEL, 'VIAM_UNKNOWN'],
          [TrainingProblemCode.BAD_LABEL, 'VIAM_UNKNOWN'],
        ],
      ],
    ])('name every problem: %s', async (_what, more, problems) => {
      const prepared = await prepare(more);
      expect(prepared.canSubmit).toBe(false);
      expect(codes(prepared.problems)).toEqual(problems);
      // A full sentence.
      for (const { message } of prepared.problems) expect(message).toMatch(/^.{20,}\.$/);
      const { modelName, modelVersion, modelType, labels: tags } = prepared;
      await expect(submit(modelVersion, { modelName, modelType, tags })).rejects.toBeInstanceOf(Error);
    });

    it('report the numbers of what is missing', async () => {
      const { problems } = await prepare({ labels: { labels: ['good', 'ugly'] } });
      expect(problems).toMatchObject([{ label: 'ugly', found: 0, needed: 10 }]);
    });

    it('report that nothing can be trained here', async () => {
      runner.trouble = new ArmatureError('training.unavailable', 'Install PyTorch.');
      expect((await prepare()).problems).toMatchObject([
        { code: TrainingProblemCode.RUNNER, message: 'Install PyTorch.' },
      ]);
    });

    it('are refused for an unknown type, dataset or organization', async () => {
      await expect(prepare({ modelType: 9 as ModelType })).rejects.toMatchObject({ code: INVALID_ARGUMENT });
      await expect(prepare({ datasetId: 'none' })).rejects.toMatchObject({ code: NOT_FOUND });
      await expect(prepare({ organizationId: 'none' })).rejects.toMatchObject({ code: NOT_FOUND });
    });
  });

  it('are refused if nothing can be trained, with the message of the runner', async () => {
    runner.trouble = new ArmatureError('training.unavailable', 'Install PyTorch.');
    await expect(submit()).rejects.toMatchObject({ code: FAILED_PRECONDITION, message: 'Install PyTorch.' });
    expect(await askHub('getRunner', { organizationId })).toEqual({ kind: 'scripted', trouble: 'Install PyTorch.' });
  });

  it('are refused where no programs may be started', async () => {
    await bench.restart(kind, clock, { isEnvironmentUntrusted: true });
    const message = expect.stringContaining('-untrusted-env') as string;
    await expect(submit()).rejects.toMatchObject({ code: FAILED_PRECONDITION, message });
  });

  it('are for owners of the organization alone', async () => {
    const id = await submit();
    const operator = await bench.tokenFor('organization_operator', organizationId);
    const { organization } = await bench.owner('createOrganization', { name: 'Other' });
    const stranger = await bench.tokenFor('organization_owner', organization?.id ?? '');
    const calls: ((token: string) => Promise<unknown>)[] = [
      (token) => ask('submitTrainingJob', request({ modelVersion: '9' }), token),
      (token) => ask('submitCustomTrainingJob', { organizationId }, token),
      (token) => ask('listTrainingJobs', { organizationId }, token),
      (token) => ask('getTrainingJob', { id }, token),
      (token) => ask('getTrainingJobLogs', { id }, token),
      (token) => ask('cancelTrainingJob', { id }, token),
      (token) => ask('deleteCompletedTrainingJob', { id }, token),
      (token) => askHub('prepareJob', { organizationId, datasetId }, token),
      (token) => askHub('listJobs', { organizationId }, token),
      (token) => askHub('getJob', { id }, token),
      (token) => askHub('getJobLog', { id }, token),
      (token) => askHub('getRunner', { organizationId }, token),
    ];
    for (const call of calls) {
      await expect(call(operator)).rejects.toMatchObject({ code: PERMISSION_DENIED });
      await expect(call(stranger)).rejects.toMatchObject({ code: NOT_FOUND });
    }
    for (const token of [operator, stranger]) {
      await expect(askHub('getTrainingSettings', {}, token)).rejects.toMatchObject({ code: PERMISSION_DENIED });
      await expect(askHub('setTrainingSettings', {}, token)).rejects.toMatchObject({ code: PERMISSION_DENIED });
    }
    // The dataset belongs to another organization than the stranger's.
    const foreign = ask('submitTrainingJob', request({ organizationId: organization?.id ?? '' }), stranger);
    await expect(foreign).rejects.toMatchObject({ code: NOT_FOUND });
    const prepared = askHub('prepareJob', { organizationId: organization?.id ?? '', datasetId }, stranger);
    await expect(prepared).rejects.toMatchObject({ code: NOT_FOUND });
    expect(await statusOf(id)).toBe(TrainingStatus.RUNNING);
  });

  describe('when the hub ends', () => {
    const restart = async (): Promise<void> => {
      runner = new ScriptedRunner();
      await bench.restart(kind, clock, { trainingRunner: runner });
    };
    /** Makes the stored job look running, as after a kill. */
    const setRunning = (id: string, attempts: number): Promise<unknown> =>
      bench.test.hub.parts.store.transaction((tx) =>
        tx.updateTable('training_jobs').set({ status: 'running', attempts }).where('id', '=', id).execute(),
      );

    it('and they outlive it, they are followed after its next start, whatever their status', async () => {
      await askHub('setTrainingSettings', {
        settings: {
          ...{ jobsAtOnce: 3, python: '', cpus: 0, memoryMb: 0, diskMb: 0, timeLimitMinutes: 0 },
          ...{ runner: '', slurm: undefined },
        },
      });
      runner.isLasting = true;
      const ids = [await submit('1'), await submit('2'), await submit('3')];
      const [first, second, third] = [await runner.next(), await runner.next(), await runner.next()];
      first.events.epoch({ epoch: 1, of: 2, loss: 0.5, metrics: {} });
      await ask('cancelTrainingJob', { id: ids[1] ?? '' });
      expect(second.signal.aborted).toBe(true);
      third.events.log('info', 'from before');
      await bench.test.close();
      const next = new ScriptedRunner();
      for (const id of ids) next.held.add(id);
      runner = next;
      bench.test = await TestHub.open(kind, clock, bench.test.place, { trainingRunner: runner });
      const runs = [await runner.next(), await runner.next(), await runner.next()];
      expect(runs.map(({ task }) => task.jobId).sort()).toEqual(ids.toSorted());
      const runOf = (id = ''): ScriptedRun | undefined => runs.find(({ task }) => task.jobId === id);
      await settled(ids[1] ?? '', TrainingStatus.CANCELED);
      await runOf(ids[0])?.train();
      runOf(ids[2])?.events.log('info', 'from now');
      runOf(ids[2])?.end({ kind: 'failed', code: 'peer.unreachable', message: 'The node failed.' });
      await settled(ids[0] ?? '', TrainingStatus.COMPLETED);
      await settled(ids[2] ?? '', TrainingStatus.FAILED);
      const { job, epochs } = await askHub('getJob', { id: ids[0] ?? '' });
      expect(job?.attempts).toBe(1);
      expect(epochs).toHaveLength(1);
      const { logs } = await ask('getTrainingJobLogs', { id: ids[2] ?? '' });
      expect(logs.map(({ message }) => message)).toEqual([
        'from before',
        'The hub is ending: the training goes on without it, and is found again with its next start.',
        'from now',
        'The node failed.',
      ]);
    });

    it('in an orderly way, they start again each time, and waiting jobs keep their order', async () => {
      const ids = [await submit('1'), await submit('2')];
      for (let times = 0; times < 4; times++) {
        const run = await runner.next();
        expect(run.task.jobId).toBe(ids[0]);
        await restart();
        expect(run.signal.aborted).toBe(true);
      }
      await (await runner.next()).train();
      await settled(ids[0] ?? '', TrainingStatus.COMPLETED);
      expect((await askHub('getJob', { id: ids[0] ?? '' })).job?.attempts).toBe(1);
      expect((await runner.next()).task.jobId).toBe(ids[1]);
    });

    it('by a kill, they start again once, and fail the second time', async () => {
      const id = await submit();
      await runner.next();
      await restart();
      await runner.next();
      // An orderly end puts the job back into the queue. `openAs` restores the state after a kill.
      await bench.test.close();
      await openAs(id, 1);
      await runner.next();
      await bench.test.close();
      await openAs(id, 2);
      await settled(id, TrainingStatus.FAILED);
      const { metadata } = await ask('getTrainingJob', { id });
      expect(metadata?.errorStatus?.message).toMatch(/The hub ended while this job ran, 2 times/);
    });

    it('after the model was published but before the job was completed, the job is completed', async () => {
      const id = await submit();
      await (await runner.next()).train();
      await settled(id, TrainingStatus.COMPLETED);
      await setRunning(id, 1);
      await restart();
      expect((await ask('getTrainingJob', { id })).metadata).toMatchObject({
        status: TrainingStatus.COMPLETED,
        syncedModelId: `${organizationId}/screws`,
      });
    });

    it('while they are being canceled, they are canceled', async () => {
      const id = await submit();
      await runner.next();
      await bench.test.close();
      await openAs(id, 1, 'canceling');
      expect(await statusOf(id)).toBe(TrainingStatus.CANCELED);
      expect(runner.runs).toEqual([]);
    });

    /** Opens the hub on a store that says that a job is in progress. */
    const openAs = async (id: string, attempts: number, status: 'running' | 'canceling' = 'running'): Promise<void> => {
      const { place } = bench.test;
      const store = await openStore(place.address, silentLogger);
      await store.transaction((tx) =>
        tx.updateTable('training_jobs').set({ status, attempts }).where('id', '=', id).execute(),
      );
      await store.close();
      runner = new ScriptedRunner();
      bench.test = await TestHub.open(kind, clock, place, { trainingRunner: runner });
    };
  });
});
