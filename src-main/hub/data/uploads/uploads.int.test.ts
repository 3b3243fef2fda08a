import { createHash, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DataType, StreamingDataCaptureUploadRequest } from '../../../../proto/gen/core/app/datasync/v1/data_sync.ts';
import { encodeMessage } from '../../../../proto/message.ts';
import { ManualClock } from '../../../base/clock.ts';
import { StatusCode } from '../../../base/status.ts';
import { startCall } from '../../../rpc/testing/local-caller.ts';
import { testStores } from '../../storage/testing/test-stores.ts';
import { connectionFrom } from '../../testing/test-hub.ts';
import { DataBench, idIn, picture, reading, sendFile, uploadMetadata } from '../testing/data-bench.ts';

const { INVALID_ARGUMENT, NOT_FOUND, PERMISSION_DENIED, RESOURCE_EXHAUSTED, DEADLINE_EXCEEDED } = StatusCode;
const START = Date.UTC(2026, 5, 1);
const LIMITS = { bytes: 400_000, atOnce: 2, idleMs: 60_000 };

describe.each(testStores)('uploads of captured data on $name', (kind) => {
  let clock: ManualClock;
  let bench: DataBench;

  beforeEach(async () => {
    clock = new ManualClock(START);
    bench = await DataBench.open(kind, clock, LIMITS);
  });

  afterEach(() => bench.test.end());

  /** File names in the folder of captured data, and separately those of uploads in progress. */
  const kept = async (): Promise<{ blobs: string[]; uploads: string[] }> => {
    const folder = path.join(bench.test.folder, 'data');
    const names = await readdir(folder).catch(() => []);
    const uploads = await readdir(path.join(folder, 'uploads')).catch(() => []);
    return { blobs: names.filter((name) => name !== 'uploads'), uploads };
  };
  const nothing = { blobs: [], uploads: [] };
  /** Resolves when the hub has no upload in progress. */
  const idle = async (): Promise<void> => {
    while (bench.test.router.inFlight > 0) await new Promise(setImmediate);
  };
  const events = async () => {
    const { db } = bench.test.hub.parts.store;
    const rows = await db.selectFrom('events').selectAll().where('kind', '=', 'data.ingested').orderBy('id').execute();
    return rows.map(({ organization_id, part_id, payload }) => ({
      organization_id,
      part_id,
      payload: JSON.parse(payload) as Record<string, unknown>,
    }));
  };
  const count = async (table: 'uploads' | 'readings' | 'binary_data' | 'captures'): Promise<number> => {
    const rows = await bench.test.hub.parts.store.db.selectFrom(table).selectAll().execute();
    return rows.length;
  };

  it('of readings are stored with an event, and can be read and described', async () => {
    const contents = [reading(START + 20, { a: 1 }), reading(START + 10, { a: 2 })];
    const id = await bench.upload(contents, { tags: ['b', 'a', 'b'] }, { dialect: 'viam' });
    const { data } = bench.test.hub.parts;
    expect(await data.readingsOf(id)).toEqual([
      { payload: { readings: { a: 1 } }, requestedAt: START + 20, receivedAt: START + 20 },
      { payload: { readings: { a: 2 } }, requestedAt: START + 10, receivedAt: START + 10 },
    ]);
    const { organizationId, locationId, machineId } = bench.test.first;
    expect(await data.describe(id)).toEqual({
      uploadId: id,
      type: 'tabular',
      organizationId,
      locationId,
      machineId,
      machineName: 'bench',
      partId: bench.partId,
      partName: 'bench-main',
      componentType: 'core:component:sensor',
      componentName: 'temperature',
      methodName: 'Readings',
      tags: ['a', 'b'],
      count: 2,
      minReceived: START + 10,
      maxReceived: START + 20,
      syncedAt: START,
    });
    expect(await events()).toEqual([
      {
        organization_id: organizationId,
        part_id: bench.partId,
        payload: {
          uploadId: id,
          fileId: id,
          type: 'tabular',
          componentName: 'temperature',
          componentType: 'core:component:sensor',
          methodName: 'Readings',
          tags: ['a', 'b'],
          minReceived: START + 10,
          maxReceived: START + 20,
          count: 2,
        },
      },
    ]);
  });

  it('may spell the type of a component in both ways, and it is one type', async () => {
    await bench.upload([reading(START, { a: 1 })], { componentType: 'rdk:component:sensor' }, { dialect: 'viam' });
    await bench.upload([reading(START, { a: 2 })], { componentType: 'core:component:sensor' });
    expect(await count('captures')).toBe(1);
    const types = (await bench.export()).map(({ resourceSubtype }) => resourceSubtype);
    expect(types).toEqual(['core:component:sensor', 'core:component:sensor']);
  });

  it('of binary data and files keep the bytes once for each content', async () => {
    const bytes = randomBytes(100_000);
    const first = await bench.upload([picture(START, bytes)], {
      type: DataType.BINARY_SENSOR,
      methodName: 'ReadImage',
    });
    const second = await bench.uploadFile(bytes, { fileName: '../../etc/passwd', fileExtension: '' });
    expect(first).not.toBe(second);
    expect(await kept()).toEqual({ blobs: [createHash('sha256').update(bytes).digest('hex')], uploads: [] });
    const { data } = await bench.data('binaryDataByIDs', { binaryDataIds: [first, second], includeBinary: true });
    expect(data.map(({ binary }) => Buffer.compare(binary, bytes))).toEqual([0, 0]);
    expect(data.map(({ metadata }) => metadata?.fileName)).toEqual(['', '../../etc/passwd']);
    expect((await events()).map(({ payload }) => [payload['type'], payload['count'], payload['fileId']])).toEqual([
      ['binary', 1, first],
      ['file', 1, second],
    ]);
  });

  it('that are streamed as captured have the times and labels of the sensor', async () => {
    const call = startCall(bench.test.router, '/core.app.datasync.v1.DataSyncService/StreamingDataCaptureUpload', {
      connection: connectionFrom('127.0.0.1'),
      metadata: { authorization: `Bearer ${bench.partToken}` },
    });
    const box = {
      id: '',
      label: 'screw',
      xMinNormalized: 0,
      yMinNormalized: 0.25,
      xMaxNormalized: 0.5,
      yMaxNormalized: 1,
    };
    const sensorMetadata = {
      timeRequested: new Date(START + 1),
      timeReceived: new Date(START + 2),
      mimeType: 2 as const,
      annotations: { bboxes: [box], classifications: [{ id: '', label: 'good', confidence: 0.5 }] },
    };
    const uploadMetadataOf = uploadMetadata(bench.partId, { type: DataType.BINARY_SENSOR, tags: ['t'] });
    const send = (uploadPacket: StreamingDataCaptureUploadRequest['uploadPacket']) =>
      call.sink.message(encodeMessage(StreamingDataCaptureUploadRequest, { uploadPacket }));
    await send({ $case: 'metadata', value: { uploadMetadata: uploadMetadataOf, sensorMetadata } });
    await send({ $case: 'data', value: Buffer.from('pic') });
    await send({ $case: 'data', value: Buffer.from('ture') });
    call.sink.halfClose();
    const id = await idIn(call);
    const { data } = await bench.data('binaryDataByIDs', { binaryDataIds: [id], includeBinary: true });
    expect(Buffer.from(data[0]?.binary ?? []).toString()).toBe('picture');
    expect(data[0]?.metadata).toMatchObject({
      timeRequested: new Date(START + 1),
      timeReceived: new Date(START + 2),
      captureMetadata: { mimeType: 'image/png', tags: ['t'] },
      annotations: {
        bboxes: [{ label: 'screw', yMinNormalized: 0.25 }],
        classifications: [{ label: 'good', confidence: 0.5 }],
      },
      fileSizeBytes: 7n,
    });
  });

  describe('that are sent again with their id', () => {
    it('are stored once and answered alike, at once and after a restart', async () => {
      const contents = [reading(START, { a: 1 })];
      const ids = await Promise.all(
        Array.from({ length: 8 }, () => bench.upload(contents, {}, { uploadId: 'file-1' })),
      );
      expect(new Set(ids).size).toBe(1);
      await bench.restart(kind, clock);
      expect(await bench.upload(contents, {}, { uploadId: 'file-1' })).toBe(ids[0]);
      expect(await bench.upload(contents, {}, { uploadId: 'file-2' })).not.toBe(ids[0]);
      expect(await bench.upload(contents)).not.toBe(ids[0]);
      expect([await count('readings'), await count('uploads'), (await events()).length]).toEqual([3, 3, 3]);
      expect(await bench.export()).toHaveLength(3);
    });

    it('are stored once for pictures and files too, and so are their bytes', async () => {
      const pictures = Array.from({ length: 6 }, () =>
        bench.upload([picture(START, randomBytes(1_000))], { type: DataType.BINARY_SENSOR }, { uploadId: 'p' }),
      );
      expect(new Set(await Promise.all(pictures)).size).toBe(1);
      const file = randomBytes(200_000);
      const first = await bench.uploadFile(file, {}, { uploadId: 'f' });
      expect(await bench.uploadFile(file, {}, { uploadId: 'f' })).toBe(first);
      expect(await count('binary_data')).toBe(2);
      expect((await kept()).blobs).toHaveLength(2);
    });

    it('may have the same id as an upload of another part', async () => {
      const { partId } = await bench.owner('newRobotPart', { robotId: bench.test.first.machineId, partName: 'second' });
      const contents = [reading(START, { a: 1 })];
      const token = bench.ownerToken;
      const first = await bench.upload(contents, {}, { uploadId: 'x', token });
      expect(await bench.upload(contents, { partId }, { uploadId: 'x', token })).not.toBe(first);
    });

    it.each([
      ['empty', ''],
      ['too long', 'x'.repeat(201)],
    ])('and have an id that is %s are refused', async (_what, uploadId) => {
      const refused = bench.upload([reading(START, { a: 1 })], {}, { uploadId });
      await expect(refused).rejects.toMatchObject({ code: INVALID_ARGUMENT });
    });
  });

  it.each([0, 3, 9])('that are interrupted at %d0 percent leave nothing, and can be repeated', async (tenth) => {
    const bytes = randomBytes(300_000);
    const call = bench.startFile({}, { uploadId: 'f' });
    await sendFile(call, bytes.subarray(0, (bytes.length * tenth) / 10));
    call.sink.cancel('the cable is out');
    await idle();
    expect(await kept()).toEqual(nothing);
    expect([await count('uploads'), (await events()).length]).toEqual([0, 0]);
    const id = await bench.uploadFile(bytes, {}, { uploadId: 'f' });
    expect((await bench.data('binaryDataByIDs', { binaryDataIds: [id] })).count).toBe(1n);
  });

  it('that are too large, too many at once or stalled are ended', async () => {
    const large = bench.uploadFile(randomBytes(LIMITS.bytes + 1));
    await expect(large).rejects.toMatchObject({
      code: RESOURCE_EXHAUSTED,
      message: 'The upload has more than 400000 bytes, which is the most that is kept.',
    });
    const [first, second] = [bench.startFile(), bench.startFile()];
    while ((await kept()).uploads.length < 2) await new Promise(setImmediate);
    await expect(bench.uploadFile(Buffer.from('x'))).rejects.toMatchObject({ code: RESOURCE_EXHAUSTED });
    clock.advance(LIMITS.idleMs);
    for (const call of [first, second]) expect((await call.ended).code).toBe(DEADLINE_EXCEEDED);
    await idle();
    expect(await kept()).toEqual(nothing);
    await bench.uploadFile(Buffer.from('x'));
  });

  it('get the time of the hub if they have none, and one time for both if they have one', async () => {
    const value = { readings: { a: 1 } };
    const struct = { $case: 'struct' as const, value };
    clock.advance(5);
    const id = await bench.upload([
      { data: struct },
      { metadata: { timeRequested: new Date(START - 9), mimeType: 0 }, data: struct },
      { metadata: { timeReceived: new Date(START - 8), mimeType: 0 }, data: struct },
    ]);
    const times = (await bench.test.hub.parts.data.readingsOf(id)).map(({ requestedAt, receivedAt }) => [
      requestedAt - START,
      receivedAt - START,
    ]);
    expect(times).toEqual([
      [5, 5],
      [-9, -9],
      [-8, -8],
    ]);
  });

  it('are accepted from the part and from callers that may write its data', async () => {
    const contents = [reading(START, { a: 1 })];
    const { partId } = await bench.owner('newRobotPart', { robotId: bench.test.first.machineId, partName: 'second' });
    const { organization } = await bench.owner('createOrganization', { name: 'Other' });
    const stranger = await bench.tokenFor('organization_owner', organization?.id ?? '');
    await expect(bench.upload(contents, { partId })).rejects.toMatchObject({ code: NOT_FOUND });
    await expect(bench.upload(contents, {}, { token: stranger })).rejects.toMatchObject({ code: NOT_FOUND });
    await expect(bench.upload(contents, { partId: 'x' })).rejects.toMatchObject({ code: NOT_FOUND });
    await bench.upload(contents, {}, { token: bench.ownerToken });
    await bench.upload(contents, {}, { token: await bench.tokenFor('robot_operator', bench.test.first.machineId) });
    // The part itself may upload data, but not read it.
    expect(await bench.export({}, bench.partToken)).toEqual([]);
    const { organizationId } = bench.test.first;
    await expect(bench.data('deleteTabularData', { organizationId }, bench.partToken)).rejects.toMatchObject({
      code: PERMISSION_DENIED,
    });
  });

  it('may contain text that is difficult for databases, and return it unchanged', async () => {
    const value = { 'a\u0000b': '\u0000 \ud83d\ude00 \\u0000', '"': "'; DROP TABLE readings; --" };
    await bench.upload([reading(START, value)]);
    expect((await bench.export()).map(({ payload }) => payload)).toEqual([{ readings: value }]);
  });

  it('are kept after their machine is deleted, with the names that it had', async () => {
    await bench.upload([reading(START, { a: 1 })]);
    const { machineId } = bench.test.first;
    await bench.owner('updateRobot', { id: machineId, name: 'renamed', location: bench.test.first.locationId });
    await bench.upload([reading(START + 1, { a: 2 })], {}, { token: bench.ownerToken });
    await bench.owner('deleteRobot', { id: machineId });
    const found = await bench.export();
    expect(found.map(({ robotName, payload }) => [robotName, payload])).toEqual([
      ['bench', { readings: { a: 1 } }],
      ['renamed', { readings: { a: 2 } }],
    ]);
  });
});
