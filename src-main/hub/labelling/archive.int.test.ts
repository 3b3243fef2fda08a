import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import sharp from 'sharp';
import { pack } from 'tar-stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DatasetServiceDefinition } from '../../../proto/gen/core/app/dataset/v1/dataset.ts';
import {
  DatasetFormat,
  ExportDatasetResponse,
  HubDatasetServiceDefinition,
  ImportDatasetRequest,
  ImportDatasetResponse,
  type ExportDatasetRequest,
} from '../../../proto/gen/core/hub/v1/dataset.ts';
import { ManualClock } from '../../base/clock.ts';
import { StatusCode } from '../../base/status.ts';
import { startCall } from '../../rpc/testing/local-caller.ts';
import { camera, picture } from '../data/testing/data-bench.ts';
import { testStores } from '../storage/testing/test-stores.ts';
import { CallFailure, connectionFrom } from '../testing/test-hub.ts';
import { box, DatasetBench } from './testing/dataset-bench.ts';

const { INVALID_ARGUMENT, NOT_FOUND } = StatusCode;

describe.each(testStores)('archives of a dataset on $name', (kind) => {
  let clock: ManualClock;
  let bench: DatasetBench;
  let other = '';

  beforeEach(async () => {
    clock = new ManualClock(Date.UTC(2026, 5, 1));
    bench = await DatasetBench.open(kind, clock);
    const { organizationId } = bench.data.test.first;
    const request = { organizationId, name: 'Copy' };
    const token = bench.data.ownerToken;
    ({ id: other } = await bench.data.test.call(DatasetServiceDefinition, 'createDataset', request, { token }));
  });
  afterEach(() => bench.end());

  const png = (width: number): Promise<Buffer> =>
    sharp({ create: { width, height: 10, channels: 3, background: '#a34a1f' } })
      .png()
      .toBuffer();
  const add = async (width: number, tags: string[] = []): Promise<string> => {
    clock.advance(1);
    const taken = picture(clock.now(), await png(width));
    const metadata = { ...camera, mimeType: 'image/png', fileExtension: '.png' };
    return bench.data.upload([taken], { ...metadata, tags, datasetIds: [bench.datasetId] });
  };
  const exported = async (of: ExportDatasetRequest['of'], format: DatasetFormat): Promise<Buffer> => {
    const token = bench.data.ownerToken;
    const call = bench.data.test.start(HubDatasetServiceDefinition, 'export', { of, format }, { token });
    const { code, message } = await call.ended;
    if (code !== 0) throw new CallFailure(code, message);
    return Buffer.concat(call.messages.map((bytes) => ExportDatasetResponse.decode(bytes).bytes));
  };
  const imported = async (archive: Buffer, datasetId = other): Promise<ImportDatasetResponse> => {
    const metadata = { authorization: `Bearer ${bench.data.ownerToken}` };
    const path = `/${HubDatasetServiceDefinition.fullName}/Import`;
    const call = startCall(bench.data.test.router, path, { connection: connectionFrom('127.0.0.1'), metadata });
    const send = (part: ImportDatasetRequest['part']) =>
      call.sink.message(ImportDatasetRequest.encode({ part }).finish());
    void send({ $case: 'metadata', value: { datasetId, partId: bench.data.partId } });
    await send({ $case: 'bytes', value: archive });
    call.sink.halfClose();
    const { code, message } = await call.ended;
    if (code !== 0) throw new CallFailure(code, message);
    return ImportDatasetResponse.decode(call.messages[0] as Uint8Array);
  };
  const archiveOf = async (files: Readonly<Record<string, string | Buffer>>): Promise<Buffer> => {
    const tar = pack();
    for (const [name, content] of Object.entries(files)) tar.entry({ name }, content);
    tar.finalize();
    return gzipSync(await buffer(tar));
  };
  /** Labels of the pictures of a dataset, in the order of their sizes in bytes, which differ. */
  const labelsIn = async (datasetId: string) => {
    const { binaryDataIds } = await bench.ask('pictures', { datasetId });
    const { data } = await bench.data.data('binaryDataByIDs', { binaryDataIds });
    const labels = data.map(({ metadata }) => ({
      bytes: metadata?.fileSizeBytes ?? 0n,
      tags: metadata?.captureMetadata?.tags,
      boxes: metadata?.annotations?.bboxes
        .map(({ label, ...each }) => [label, each.xMinNormalized, each.yMaxNormalized].join(' '))
        .sort(),
    }));
    return labels.sort((a, b) => Number(a.bytes - b.bytes));
  };

  it.each([
    ['COCO', DatasetFormat.COCO, true],
    ['YOLO', DatasetFormat.YOLO, false],
    ['JSON lines', DatasetFormat.JSON_LINES, true],
  ])('in %s are exported and imported unchanged, each picture once', async (_name, format, hasTags) => {
    const [first] = [await add(20, hasTags ? ['good', 'left'] : []), await add(4_000)];
    await bench.box(first, box(1, 'screw', [0.25, 0.5, 0.5, 0.75]));
    await bench.box(first, box(2, 'nut: M4', [0, 0, 1, 1]));
    const archive = await exported({ $case: 'datasetId', value: bench.datasetId }, format);
    expect(await imported(archive)).toEqual({ added: 2, known: 0, format });
    expect(await labelsIn(other)).toEqual(await labelsIn(bench.datasetId));
    expect(await imported(archive)).toEqual({ added: 0, known: 2, format });
  });

  it('of a snapshot have the labels and pictures of its time', async () => {
    const id = await add(20, ['good']);
    const before = await labelsIn(bench.datasetId);
    const { id: snapshotId } = await bench.snapshot();
    await bench.ask('changeLabels', { binaryDataId: id, removeTags: ['good'] });
    await bench.data.data('deleteBinaryDataByIDs', { binaryDataIds: [id] });
    const archive = await exported({ $case: 'snapshotId', value: snapshotId }, DatasetFormat.COCO);
    await imported(archive);
    expect(await labelsIn(other)).toEqual(before);
  });

  it('that are wrong are refused with the place of the mistake, before anything is stored', async () => {
    const image = await png(20);
    const yaml = 'names: [screw]';
    const wrong: readonly (readonly [string, Buffer])[] = [
      [
        'labels/a.txt, line 2',
        await archiveOf({ 'images/a.png': image, 'data.yaml': yaml, 'labels/a.txt': '\n1 1 1' }),
      ],
      ['labels/b.txt', await archiveOf({ 'images/a.png': image, 'data.yaml': yaml, 'labels/b.txt': '' })],
      ['b.png', await archiveOf({ 'data/a.png': image, 'dataset.jsonl': '{"image_path":"data/b.png"}' })],
      ['two/a.png', await archiveOf({ 'one/a.png': image, 'two/a.png': image, 'data.yaml': yaml })],
      ['no labels', await archiveOf({ 'a.png': image })],
      ['.tar.gz', Buffer.from('no archive')],
      ['.tar.gz', (await archiveOf({ 'a.png': image, 'data.yaml': yaml })).subarray(0, 60)],
    ];
    for (const [place, archive] of wrong) {
      const message = expect.stringContaining(place) as string;
      await expect(imported(archive), place).rejects.toMatchObject({ code: INVALID_ARGUMENT, message });
    }
    expect((await bench.ask('count', { datasetId: other })).counts?.pictures).toBe(0);
    await expect(imported(await archiveOf({}), 'none')).rejects.toMatchObject({ code: NOT_FOUND });
    const of = { $case: 'datasetId', value: bench.datasetId } as const;
    await add(20);
    await expect(exported(of, DatasetFormat.UNSPECIFIED)).rejects.toMatchObject({ code: INVALID_ARGUMENT });
  });
});
