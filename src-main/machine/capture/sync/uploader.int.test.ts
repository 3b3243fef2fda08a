import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DataType, type DataCaptureUploadRequest } from '../../../../proto/gen/core/app/datasync/v1/data_sync.ts';
import { ManualClock } from '../../../base/clock.ts';
import { ArmatureError } from '../../../base/errors.ts';
import { silentLogger, type Logger } from '../../../base/logger.ts';
import { FakeDataHub, metadataNamed, reading, type Received } from '../testing/capture-fixture.ts';
import { readCapture, type CaptureStream } from '../journal/capture-file.ts';
import { Journal } from '../journal/journal.ts';
import { Uploader } from './uploader.ts';

describe('the uploader', () => {
  let folder = '';
  let clock: ManualClock;
  let hub: FakeDataHub;
  let journal: Journal;
  let uploader: Uploader;
  let said: string[];
  const logger: Logger = {
    ...silentLogger,
    warn: (message: string) => void said.push(message),
    error: (message: string) => void said.push(message),
  };
  const a: CaptureStream = { metadata: metadataNamed('a') };

  const open = async (atOnce = 1): Promise<void> => {
    journal = new Journal({ folder, fileBytes: () => 100_000_000, clock, logger });
    await journal.open();
    const failedFolder = path.join(folder, 'failed');
    uploader = new Uploader({ journal, hub, failedFolder, atOnce: () => atOnce, clock, logger });
  };
  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'armature-uploader-'));
    clock = new ManualClock();
    hub = new FakeDataHub();
    said = [];
    await open();
  });
  afterEach(async () => {
    uploader.close();
    await journal.close();
    await rm(folder, { recursive: true, force: true });
  });

  const add = async (...values: readonly number[]): Promise<void> => {
    for (const value of values) journal.append({ stream: a, reading: reading(value) });
    await journal.seal();
  };
  const valuesOf = ({ requests }: Received): unknown[] =>
    (requests as DataCaptureUploadRequest[]).flatMap(({ sensorContents }) =>
      sensorContents.map(({ data }) => (data?.value as { readings: { value: number } }).readings.value),
    );
  const arrived = (): unknown[] => hub.received.flatMap(valuesOf);
  const none = (): Promise<void> => expect.poll(() => journal.files.length).toBe(0);

  it('sends nothing before it may, then everything, oldest first, and removes what is there', async () => {
    await add(1, 2);
    await add(3);
    expect(hub.received).toEqual([]);
    uploader.allow(true);
    await none();
    expect(arrived()).toEqual([1, 2, 3]);
    expect((hub.received[0]?.requests[0] as DataCaptureUploadRequest).metadata?.partId).toBe('part');
    await add(4);
    await none();
    expect(arrived()).toEqual([1, 2, 3, 4]);
    expect(uploader.state).toMatchObject({ uploaded: 3, refused: 0, error: '', lastUploadAt: clock.now() });
  });

  it('sends a thousand readings at most in one call', async () => {
    await add(...Array.from({ length: 2_500 }, (_, index) => index));
    uploader.allow(true);
    await none();
    expect(hub.received.map((call) => valuesOf(call).length)).toEqual([1_000, 1_000, 500]);
    expect(arrived()).toEqual(Array.from({ length: 2_500 }, (_, index) => index));
  });

  it('sends binary data one by one, and large data in parts', async () => {
    const camera: CaptureStream = { metadata: { ...metadataNamed('cam', DataType.BINARY_SENSOR), fileExtension: '' } };
    const png = Buffer.concat([Buffer.from('\x89PNG', 'latin1'), Buffer.alloc(3_000_000, 7)]);
    const jpeg = Buffer.concat([Buffer.from('\xff\xd8\xff', 'latin1'), Buffer.alloc(100, 8)]);
    for (const image of [jpeg, png]) journal.append({ stream: camera, reading: reading(image) });
    await journal.seal();
    uploader.allow(true);
    await none();
    const [small, large] = hub.received;
    expect([small?.method, large?.method]).toEqual(['dataCaptureUpload', 'streamingDataCaptureUpload']);
    expect((small?.requests[0] as DataCaptureUploadRequest).metadata).toMatchObject({
      mimeType: 'image/jpeg',
      fileExtension: '.jpeg',
    });
    const [metadata, ...parts] = large?.requests as { uploadPacket: { $case: string; value: never } }[];
    expect(metadata?.uploadPacket).toMatchObject({
      value: { uploadMetadata: { mimeType: 'image/png', partId: 'part' } },
    });
    expect(Buffer.concat(parts.map(({ uploadPacket }) => uploadPacket.value)).equals(png)).toBe(true);
  });

  it('a file that is sent again has the same ids, also by another program', async () => {
    await add(...Array.from({ length: 1_500 }, (_, index) => index));
    let count = 0;
    hub.refuse = () => (++count === 2 ? new ArmatureError('hub.unreachable', 'cut off') : undefined);
    uploader.allow(true);
    await expect.poll(() => uploader.state.error).toBe('cut off');
    uploader.close();
    await journal.close();
    const [first] = hub.received;
    hub.refuse = () => undefined;
    await open();
    uploader.allow(true);
    await none();
    expect(hub.received.map(({ uploadId }) => uploadId)).toEqual([
      first?.uploadId,
      first?.uploadId,
      expect.any(String),
    ]);
    expect(new Set(hub.received.map(({ uploadId }) => uploadId)).size).toBe(2);
  });

  it('a file that the hub does not take waits for its time, while others go', async () => {
    await add(13);
    await add(1);
    await add(2);
    let isFull = true;
    hub.refuse = (call) =>
      isFull && valuesOf(call).includes(13) ? new ArmatureError('store.full', 'no room') : undefined;
    uploader.allow(true);
    await expect.poll(arrived).toEqual([1, 2]);
    expect(said).toEqual([expect.stringMatching(/does not take 000000000001.capture yet: no room/)]);
    clock.advance(1_400);
    await expect.poll(() => uploader.state.error).toBe('no room');
    isFull = false;
    clock.advance(600_000);
    await none();
    expect(arrived()).toEqual([1, 2, 13]);
  });

  it('what the hub will never take is kept apart, whole, and said', async () => {
    const bad: CaptureStream = { metadata: metadataNamed('bad') };
    journal.append({ stream: a, reading: reading(1) });
    journal.append({ stream: bad, reading: reading(2) });
    await journal.seal();
    hub.refuse = ({ requests: [request] }) =>
      (request as DataCaptureUploadRequest).metadata?.componentName === 'bad'
        ? new ArmatureError('call.bad_argument', 'no such thing')
        : undefined;
    uploader.allow(true);
    await none();
    expect(arrived()).toEqual([1]);
    const [kept = ''] = await readdir(path.join(folder, 'failed'));
    const { streams } = readCapture(kept, await readFile(path.join(folder, 'failed', kept)));
    expect(streams.map(({ metadata, readings }) => [metadata.componentName, readings.length])).toEqual([['bad', 1]]);
    expect(said).toEqual([expect.stringMatching(/refuses a reading \(Readings of bad\).*no such thing/)]);
    expect(uploader.state.refused).toBe(1);
  });

  it('a reading that the hub will never take takes none of its neighbours with it', async () => {
    const all = Array.from({ length: 1_000 }, (_, index) => index);
    const bad = [3, 500, 999];
    hub.refuse = (call) =>
      valuesOf(call).some((value) => bad.includes(Number(value)))
        ? new ArmatureError('call.bad_argument', 'no number')
        : undefined;
    await add(...all);
    uploader.allow(true);
    await none();
    expect(arrived()).toEqual(all.filter((value) => !bad.includes(value)));
    expect(uploader.state.refused).toBe(3);
    expect(new Set(hub.received.map(({ uploadId }) => uploadId)).size).toBe(hub.received.length);
    expect(hub.received.length).toBeLessThan(60);
  });

  it('a file that a disk has damaged holds up no other, and is kept', async () => {
    await add(1);
    await add(2);
    await writeFile(journal.files[0]?.path ?? '', 'nonsense');
    uploader.allow(true);
    await none();
    expect(arrived()).toEqual([2]);
    expect(await readdir(path.join(folder, 'failed'))).toEqual(['000000000001.capture']);
  });

  it('waits for no file that was let go of meanwhile', async () => {
    await add(1);
    hub.refuse = () => new ArmatureError('store.full', 'no room');
    uploader.allow(true);
    await expect.poll(() => uploader.state.error).toBe('no room');
    await journal.removeOldest();
    clock.advance(600_000);
    await new Promise(setImmediate);
    expect(clock.pending).toBe(0);
  });

  it('has as many calls under way as it may', async () => {
    uploader.close();
    await journal.close();
    await open(3);
    await add(...Array.from({ length: 5_000 }, (_, index) => index));
    let open3: () => void = () => undefined;
    hub.hold = new Promise((resolve) => (open3 = () => resolve()));
    uploader.allow(true);
    await expect.poll(() => hub.atOnce).toBe(3);
    open3();
    await none();
    expect(hub.mostAtOnce).toBe(3);
    expect(arrived().toSorted((one, other) => Number(one) - Number(other))).toHaveLength(5_000);
  });

  describe('when somebody waits for it', () => {
    it('settles once what was there is gone, also where nothing may go by itself', async () => {
      await add(1);
      await uploader.finish();
      expect(arrived()).toEqual([1]);
      await add(2);
      expect(arrived()).toEqual([1]);
    });

    it('says that there is no hub, or why it takes nothing', async () => {
      await add(1);
      hub.isConnected = false;
      await expect(uploader.finish()).rejects.toMatchObject({ code: 'hub.unreachable' });
      hub.isConnected = true;
      hub.refuse = () => new ArmatureError('store.full', 'no room');
      await expect(uploader.finish()).rejects.toThrow('no room');
      hub.refuse = () => undefined;
      await uploader.finish();
      expect(arrived()).toEqual([1]);
    });
  });
});
