import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DatasetServiceDefinition } from '../../../proto/gen/core/app/dataset/v1/dataset.ts';
import { ManualClock } from '../../base/clock.ts';
import { StatusCode } from '../../base/status.ts';
import { testStores } from '../storage/testing/test-stores.ts';
import type { DatasetLine, DatasetPurpose } from './dataset-file.ts';
import { box, DatasetBench } from './testing/dataset-bench.ts';
import { writeDataset } from './write-dataset.ts';

const { FAILED_PRECONDITION, NOT_FOUND } = StatusCode;
const START = Date.UTC(2026, 5, 1);

describe.each(testStores)('snapshots of a dataset on $name', (kind) => {
  let clock: ManualClock;
  let bench: DatasetBench;
  let folder = '';

  beforeEach(async () => {
    clock = new ManualClock(START);
    bench = await DatasetBench.open(kind, clock);
    folder = await mkdtemp(path.join(os.tmpdir(), 'armature-dataset-'));
  });
  afterEach(async () => {
    await bench.end();
    await rm(folder, { recursive: true });
  });

  const screw = box(1, 'screw', [0.1, 0.2, 0.3, 0.4]);
  const pages = async (id: string, pageSize = 0) => {
    const found = [];
    for (let pageToken = ''; ;) {
      const page = await bench.ask('getSnapshot', { id, pageToken, pageSize });
      found.push(page.pictures);
      if (page.nextPageToken === '') return found;
      pageToken = page.nextPageToken;
    }
  };
  const write = async (id: string, name: string, purpose: DatasetPurpose = {}) => {
    const { snapshots } = bench.data.test.hub.parts;
    const written = await writeDataset({ id }, path.join(folder, name), { snapshots, ...purpose });
    const text = await readFile(path.join(folder, name, 'dataset.jsonl'), 'utf8');
    const lines = text.split('\n').filter((line) => line !== '');
    return { written, lines: lines.map((line) => JSON.parse(line) as DatasetLine) };
  };

  it('are numbered, and stay unchanged when labels change and pictures are added, removed and deleted', async () => {
    const [first, second] = [await bench.add('a', { tags: ['good'] }), await bench.add('bb')];
    await bench.box(second, screw);
    const one = await bench.snapshot('before');
    expect(one).toMatchObject({ number: 1, note: 'before', bytes: 3n, createdAt: new Date(START + 2) });
    expect(one.counts).toMatchObject({ pictures: 2, tagged: 1, boxed: 1, unlabelled: 0 });
    const before = await pages(one.id);
    expect(before).toMatchObject([
      [
        { position: 1, binaryDataId: first, bytes: 1n, mimeType: 'image/jpeg', fileExt: '.jpg', tags: ['good'] },
        { position: 2, binaryDataId: second, timeCaptured: new Date(START + 2), annotations: { bboxes: [screw] } },
      ],
    ]);

    const { datasetId } = bench;
    await bench.ask('changeLabels', { binaryDataId: first, addTags: ['bad'], removeTags: ['good'] });
    await bench.ask('changeLabels', { binaryDataId: second, removeBoxIds: [screw.id] });
    await bench.add('ccc');
    await bench.data.data('removeBinaryDataFromDatasetByIDs', { datasetId, binaryDataIds: [first] });
    await bench.data.data('deleteBinaryDataByIDs', { binaryDataIds: [first, second] });
    const two = await bench.snapshot();
    expect(two).toMatchObject({ number: 2, bytes: 3n, counts: { pictures: 1, unlabelled: 1 } });
    expect(await pages(one.id)).toEqual(before);
    expect((await bench.ask('listSnapshots', { datasetId })).snapshots).toEqual([two, one]);

    await bench.data.restart(kind, clock);
    expect(await pages(one.id)).toEqual(before);
    const { lines } = await write(one.id, 'one');
    const names = lines.map(({ image_path }) => image_path);
    const texts = await Promise.all(names.map((name) => readFile(path.join(folder, 'one', name), 'utf8')));
    expect(texts).toEqual(['a', 'bb']);
  });

  it('are given in pages', async () => {
    for (const bytes of ['a', 'b', 'c']) await bench.add(bytes);
    const { id } = await bench.snapshot();
    const found = await pages(id, 2);
    expect(found.map((page) => page.map(({ position }) => position))).toEqual([[1, 2], [3]]);
  });

  it('of an empty dataset are refused, and no number is used twice', async () => {
    const { datasetId } = bench;
    const empty = bench.ask('createSnapshot', { datasetId });
    await expect(empty).rejects.toMatchObject({ code: FAILED_PRECONDITION });
    await bench.add('a');
    const one = await bench.snapshot();
    await bench.ask('deleteSnapshot', { id: one.id });
    expect((await bench.snapshot()).number).toBe(2);
  });

  it('keep the bytes of their pictures until the last snapshot is deleted', async () => {
    const id = await bench.add('a');
    const [one, two] = [await bench.snapshot(), await bench.snapshot()];
    await bench.data.data('deleteBinaryDataByIDs', { binaryDataIds: [id] });
    const { snapshots } = bench.data.test.hub.parts;
    const [item] = await snapshots.page(two.id, 0, 1);
    if (item === undefined) throw new Error('the snapshot is empty');
    await bench.ask('deleteSnapshot', { id: one.id });
    const kept = await snapshots.bytes(item);
    kept.close();
    await bench.ask('deleteSnapshot', { id: two.id });
    await expect(snapshots.bytes(item)).rejects.toMatchObject({ code: 'store.corrupt' });
    await expect(bench.ask('getSnapshot', { id: two.id })).rejects.toMatchObject({ code: NOT_FOUND });
  });

  it('are deleted with their dataset, and their bytes at the next sweep', async () => {
    const id = await bench.add('a');
    const { id: snapshotId } = await bench.snapshot();
    const { snapshots } = bench.data.test.hub.parts;
    const [item] = await snapshots.page(snapshotId, 0, 1);
    if (item === undefined) throw new Error('the snapshot is empty');
    await bench.data.data('deleteBinaryDataByIDs', { binaryDataIds: [id] });
    const token = bench.data.ownerToken;
    await bench.data.test.call(DatasetServiceDefinition, 'deleteDataset', { id: bench.datasetId }, { token });
    await expect(bench.ask('getSnapshot', { id: snapshotId })).rejects.toMatchObject({ code: NOT_FOUND });
    expect(await snapshots.sweep()).toBe(1);
    await expect(snapshots.bytes(item)).rejects.toMatchObject({ code: 'store.corrupt' });
  });

  it('are not deleted, nor their dataset, while something uses one', async () => {
    await bench.add('a');
    const { id } = await bench.snapshot();
    let [isRunning, isOver] = [true, false];
    bench.data.test.hub.parts.snapshotUses.add(async (used) =>
      isRunning && used === id ? { name: 'the training job "3f2a"', step: 'cancel it', isOver } : undefined,
    );
    const used = { code: FAILED_PRECONDITION, message: expect.stringContaining('training job "3f2a"') as string };
    const token = bench.data.ownerToken;
    const deleteDataset = () =>
      bench.data.test.call(DatasetServiceDefinition, 'deleteDataset', { id: bench.datasetId }, { token });
    await expect(bench.ask('deleteSnapshot', { id })).rejects.toMatchObject(used);
    await expect(deleteDataset()).rejects.toMatchObject(used);
    await expect(bench.ask('deleteSnapshot', { id, thoughTrainedOn: true })).rejects.toMatchObject(used);
    // With a use that is over, only the snapshot itself can be deleted, and only with force.
    isOver = true;
    await expect(bench.ask('deleteSnapshot', { id })).rejects.toMatchObject(used);
    await expect(deleteDataset()).rejects.toMatchObject(used);
    await bench.ask('deleteSnapshot', { id, thoughTrainedOn: true });
    await deleteDataset();
    isRunning = false;
  });

  it('are used again while the dataset is unchanged', async () => {
    const { store, snapshots } = bench.data.test.hub.parts;
    const current = () => store.transaction((tx) => snapshots.current(bench.datasetId, tx));
    await expect(current()).rejects.toMatchObject({ code: 'call.failed_precondition' });
    const [first, second] = [await bench.add('a', { tags: ['good'] }), await bench.add('b')];
    await bench.box(second, screw);
    const made = await current();
    expect(made.number).toBe(1);
    expect(await current()).toEqual(made);
    const changes = [
      () => bench.ask('changeLabels', { binaryDataId: first, addTags: ['bad'] }),
      () => bench.ask('changeLabels', { binaryDataId: first, removeTags: ['bad'] }),
      () => bench.box(second, { ...screw, xMaxNormalized: 0.35 }),
      () => bench.ask('changeLabels', { binaryDataId: second, removeBoxIds: [screw.id] }),
      () => bench.add('c'),
      () => bench.data.data('removeBinaryDataFromDatasetByIDs', { datasetId: bench.datasetId, binaryDataIds: [first] }),
    ];
    for (const [index, change] of changes.entries()) {
      await change();
      expect((await current()).number).toBe(index + 2);
      expect((await current()).number).toBe(index + 2);
    }
    expect(await snapshots.list(bench.datasetId)).toHaveLength(changes.length + 1);
    expect((await pages(made.id)).flat()).toHaveLength(2);
  });

  it('are written without files that are no pictures', async () => {
    const picture = await bench.add('a');
    await bench.add('points', { mimeType: 'pointcloud/pcd', fileExtension: '.pcd' });
    const { id } = await bench.snapshot();
    const { written, lines } = await write(id, 'pictures');
    expect(written).toEqual({ pictures: 1, leftOut: 1 });
    expect(lines.map(({ binary_data_id }) => binary_data_id)).toEqual([picture]);
  });

  it('are written as training scripts read them', async () => {
    const { organizationId, machineId } = bench.data.test.first;
    const [good, both] = [await bench.add('a', { tags: ['good'] }), await bench.add('b', { tags: ['good', 'left'] })];
    const none = await bench.add('c', { tags: ['left'] });
    await bench.box(none, screw);
    const { id } = await bench.snapshot();
    const { written, lines } = await write(id, 'all');
    expect(written).toEqual({ pictures: 3, leftOut: 0 });
    expect(lines[2]).toEqual({
      image_path: `data/${none}.jpg`,
      classification_annotations: [{ annotation_label: 'left' }],
      bounding_box_annotations: [
        {
          ...{ id: screw.id, annotation_label: 'screw', x_min_normalized: 0.1, x_max_normalized: 0.3 },
          ...{ y_min_normalized: 0.2, y_max_normalized: 0.4 },
        },
      ],
      timestamp: new Date(START + 3).toISOString(),
      binary_data_id: none,
      organization_id: organizationId,
      location_id: lines[2]?.location_id,
      robot_id: machineId,
      part_id: bench.data.partId,
      component_name: 'front',
    });
    expect((await readdir(path.join(folder, 'all', 'data'))).sort()).toEqual(
      [`${good}.jpg`, `${both}.jpg`, `${none}.jpg`].sort(),
    );

    const classes = (each: readonly DatasetLine[]) =>
      each.map((line) => line.classification_annotations.map(({ annotation_label }) => annotation_label));
    const single = await write(id, 'single', { task: 'singleLabel', labels: ['good', 'left'] });
    expect(single.written).toEqual({ pictures: 2, leftOut: 1 });
    expect(classes(single.lines)).toEqual([['good'], ['left']]);
    const chosen = await write(id, 'chosen', { task: 'multiLabel', labels: ['good'] });
    expect(classes(chosen.lines)).toEqual([['good'], ['good'], ['VIAM_UNKNOWN']]);
    const boxes = await write(id, 'boxes', { task: 'detection', labels: ['screw'] });
    expect(boxes.lines.map((line) => line.bounding_box_annotations.length)).toEqual([0, 0, 1]);
    await expect(write(id, 'all')).rejects.toMatchObject({ code: 'file.unwritable' });
  });
});
