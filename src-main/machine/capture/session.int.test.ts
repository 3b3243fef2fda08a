import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MAX_MESSAGE_BYTES } from '../../../proto/message.ts';
import type { DataCaptureUploadRequest } from '../../../proto/gen/core/app/datasync/v1/data_sync.ts';
import { mountBuiltinApis } from '../../apis/all.ts';
import type { JsonObject, Resource } from '../../apis/resource.ts';
import { ManualClock } from '../../base/clock.ts';
import { ArmatureError } from '../../base/errors.ts';
import { silentLogger, type Logger } from '../../base/logger.ts';
import { CallRouter } from '../../rpc/routing/call-router.ts';
import type { CaptureSession, CaptureSettings } from '../catalog/capture-host.ts';
import type { ResourceConfig } from '../catalog/resource-config.ts';
import { Capture } from './capture.ts';
import { COMMIT_MS } from './journal/journal.ts';
import { FakeDataHub } from './testing/capture-fixture.ts';

const usual: CaptureSettings = {
  folder: undefined,
  isCaptureOff: false,
  isSyncOff: false,
  tags: [],
  syncIntervalMs: 6_000,
  filePaths: [],
  fileRestsMs: 10_000,
  uploadsAtOnce: 1,
  fileBytes: 256 * 1024,
  diskThresholds: { used: 0.9, captured: 0.5 },
  syncSensor: undefined,
};

describe('data capture of a machine', () => {
  let folder = '';
  let clock: ManualClock;
  let hub: FakeDataHub;
  let said: string[];
  let notReady: Set<string>;
  let capture: Capture;
  let session: CaptureSession | undefined;
  let readings: () => Promise<JsonObject>;
  let gate: () => Promise<JsonObject>;
  const logger: Logger = {
    ...silentLogger,
    warn: (message: string) => void said.push(message),
  };

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'armature-capture-'));
    clock = new ManualClock();
    hub = new FakeDataHub();
    said = [];
    notReady = new Set();
    readings = () => Promise.resolve({ celsius: 21.5, place: { shelf: 3 } });
    gate = () => Promise.resolve({ should_sync: true });
    capture = machine(hub);
  });
  afterEach(async () => {
    await session?.close();
    session = undefined;
    await rm(folder, { recursive: true, force: true });
  });

  /** With a sensor `s` and a motor `m`. */
  const machine = (dataHub: FakeDataHub | undefined): Capture => {
    const router = new CallRouter({ clock, logger: silentLogger, maxMessageBytes: MAX_MESSAGE_BYTES });
    const resources: Readonly<Record<string, object>> = {
      s: { name: 's', readings: () => readings(), close: () => Promise.resolve() },
      m: {
        name: 'm',
        position: () => Promise.resolve(1.5),
        poweredState: () => Promise.resolve({ isOn: true, power: 0.5 }),
        close: () => Promise.resolve(),
      },
    };
    mountBuiltinApis(router, () => (name) => {
      const resource = resources[name];
      if (resource === undefined) throw new ArmatureError('resource.not_found', `no ${name}`);
      return { kind: 'local', resource: resource as Resource };
    });
    return new Capture({
      folder: path.join(folder, 'capture'),
      router: () => router,
      isReady: (name) => !notReady.has(name),
      hub: dataHub,
      readSensor: () => gate(),
      clock,
      logger,
    });
  };
  const entry = (api: string, name: string, ...methods: readonly JsonObject[]): ResourceConfig => ({
    fullName: `${api}/${name}`,
    name,
    api,
    model: 'core:builtin:fake',
    attributes: {},
    dependsOn: [],
    logLevel: undefined,
    isDisabled: false,
    notes: '',
    serviceConfigs: [{ type: 'data_manager', attributes: { capture_methods: [...methods] } }],
    pointer: '',
    problems: [],
  });
  const sensor = (more: JsonObject = {}): ResourceConfig =>
    entry('core:component:sensor', 's', { method: 'Readings', capture_frequency_hz: 10, ...more });
  const open = async (settings: Partial<CaptureSettings> = {}): Promise<CaptureSession> =>
    (session = await capture.open({ ...usual, ...settings }));
  /** Lets time pass, and runs what is due in between. */
  const pass = async (ms: number, stepMs = 10): Promise<void> => {
    for (let passed = 0; passed < ms; passed += stepMs) {
      clock.advance(stepMs);
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    }
  };
  const requests = (): DataCaptureUploadRequest[] =>
    hub.received.flatMap((call) => call.requests as DataCaptureUploadRequest[]);
  const payloads = (): unknown[] =>
    requests().flatMap(({ sensorContents }) => sensorContents.map(({ data }) => data?.value));

  it('brings what is captured to the hub, with what it is and when it was', async () => {
    const start = clock.now();
    capture.configure([sensor({ tags: ['bench'] })]);
    await open();
    await pass(1_000);
    await session?.sync();
    const [request] = requests();
    expect(request?.metadata).toMatchObject({
      partId: 'part',
      componentType: 'core:component:sensor',
      componentName: 's',
      methodName: 'Readings',
      type: 2,
      tags: ['bench'],
      fileExtension: '.dat',
    });
    expect(payloads().length).toBeGreaterThanOrEqual(10);
    expect(payloads()[0]).toEqual({ readings: { celsius: 21.5, place: { shelf: 3 } } });
    const times = requests().flatMap((one) => one.sensorContents.map(({ metadata }) => metadata?.timeRequested));
    expect(times.map((time) => Number(time) - start).slice(1, 4)).toEqual([100, 200, 300]);
    expect(session?.status).toMatchObject({
      capturing: [{ resource: 'core:component:sensor/s', method: 'Readings', frequency_hz: 10, missed: 0, error: '' }],
      waiting_files: 0,
      sync: { is_allowed: true, refused: 0 },
    });
  });

  it('stores responses by the names that they have on the wire', async () => {
    const api = 'core:component:motor';
    capture.configure([
      entry(
        api,
        'm',
        { method: 'Position', capture_frequency_hz: 1 },
        { method: 'IsPowered', capture_frequency_hz: 1 },
      ),
    ]);
    await open();
    await pass(100);
    await session?.sync();
    expect(payloads()).toEqual([{ position: 1.5 }, { is_on: true, power_pct: 0.5 }]);
  });

  it('stores null for what is no number in JSON', async () => {
    readings = () => Promise.resolve({ bad: Number.NaN, list: [1, Number.POSITIVE_INFINITY], good: 0 });
    capture.configure([sensor()]);
    await open();
    await pass(100);
    await session?.sync();
    expect(payloads()[0]).toEqual({ readings: { bad: null, list: [1, null], good: 0 } });
  });

  it('begins and ends what changes in the configuration, and leaves the rest alone', async () => {
    const captured = (): unknown =>
      (session?.status['capturing'] as { method: string; frequency_hz: number; captured: number }[]).map(
        ({ method, frequency_hz: hz, captured: count }) => [method, hz, count],
      );
    const motor = entry('core:component:motor', 'm', { method: 'Position', capture_frequency_hz: 5 });
    capture.configure([sensor()]);
    await open();
    await pass(200);
    expect(captured()).toEqual([['Readings', 10, 3]]);
    capture.configure([sensor(), motor]);
    await pass(200);
    expect(captured()).toEqual([
      ['Readings', 10, 5],
      ['Position', 5, 2],
    ]);
    capture.configure([sensor({ capture_frequency_hz: 1 }), { ...motor, isDisabled: true }]);
    await pass(10);
    expect(captured()).toEqual([['Readings', 1, 1]]);
    capture.configure([sensor({ disabled: true })]);
    expect(captured()).toEqual([]);
    await session?.update({ ...usual, isCaptureOff: true });
    capture.configure([sensor()]);
    expect(captured()).toEqual([]);
  });

  it('waits for a resource that is not ready, without a word, and goes on by itself', async () => {
    notReady.add('core:component:sensor/s');
    capture.configure([sensor()]);
    await open();
    await pass(1_000);
    notReady.clear();
    await pass(500);
    await session?.sync();
    expect(payloads().length).toBeGreaterThan(0);
    expect(said).toEqual([]);
  });

  it('a resource that fails is told of with its reason, and others go on', async () => {
    readings = () => Promise.reject(new ArmatureError('hardware.failed', 'the wire is off'));
    capture.configure([sensor(), entry('core:component:motor', 'm', { method: 'Position', capture_frequency_hz: 10 })]);
    await open();
    await pass(500);
    await session?.sync();
    expect(payloads()).toContainEqual({ position: 1.5 });
    expect(said).toEqual([
      expect.stringMatching(/^Readings of core:component:sensor\/s cannot be captured: .*the wire is off/),
    ]);
  });

  it('keeps nothing where a filter in a module says so', async () => {
    readings = () => Promise.reject(new ArmatureError('call.failed_precondition', 'no capture from filter module'));
    capture.configure([sensor()]);
    await open();
    await pass(500);
    expect(session?.status).toMatchObject({ capturing: [{ captured: 0, failures: 0, error: '' }], waiting_bytes: 0 });
  });

  it('syncs by itself, and only while its sensor says so; a sync that somebody asks for goes anyway', async () => {
    let says: JsonObject = { should_sync: false };
    gate = () => Promise.resolve(says);
    capture.configure([sensor()]);
    await open({ syncSensor: 'wifi' });
    await pass(7_000, 100);
    expect(hub.received).toEqual([]);
    expect(session?.status).toMatchObject({
      sync: { is_allowed: false, reason: 'should_sync of core:component:sensor/wifi is false' },
    });
    await session?.sync();
    const count = hub.received.length;
    expect(count).toBeGreaterThan(0);
    says = { other: 1 };
    await pass(7_000, 100);
    expect(session?.status).toMatchObject({
      sync: { reason: 'core:component:sensor/wifi has no reading "should_sync"' },
    });
    says = { should_sync: true };
    await pass(7_000, 100);
    await expect.poll(() => hub.received.length).toBeGreaterThan(count);
  });

  it('keeps what is captured while the hub is away, over a restart, and while sync is off', async () => {
    hub.isConnected = false;
    capture.configure([sensor()]);
    await open({ isSyncOff: true });
    await pass(1_000);
    await expect(session?.sync()).rejects.toMatchObject({ code: 'hub.unreachable' });
    await session?.close();
    capture = machine(hub);
    await open();
    await pass(100);
    expect(hub.received).toEqual([]);
    hub.isConnected = true;
    await expect.poll(() => payloads().length).toBeGreaterThanOrEqual(10);
  });

  it('has all that was captured on the disk once it is closed', async () => {
    capture.configure([sensor()]);
    await open();
    await pass(300);
    await session?.close();
    session = undefined;
    const names = await readdir(path.join(folder, 'capture'));
    expect(names.filter((name) => name.endsWith('.capture'))).toHaveLength(1);
    expect(names.filter((name) => name.endsWith('.prog') || name === 'in-use')).toEqual([]);
  });

  it('brings bytes of a caller to datasets, with their tags', async () => {
    await open();
    await session?.upload(Buffer.from('picture'), ['t'], ['d1', 'd2'], 'image/png');
    await session?.sync();
    expect(requests()[0]?.metadata).toMatchObject({
      tags: ['t'],
      datasetIds: ['d1', 'd2'],
      mimeType: 'image/png',
      type: 1,
    });
    expect(Buffer.from(payloads()[0] as Uint8Array).toString()).toBe('picture');
  });

  it('there is one, and it needs a folder', async () => {
    await open();
    await expect(capture.open(usual)).rejects.toMatchObject({ code: 'call.failed_precondition' });
    await session?.close();
    await writeFile(path.join(folder, 'file'), '');
    await expect(open({ folder: path.join(folder, 'file', 'capture') })).rejects.toMatchObject({
      code: 'file.unwritable',
    });
    await open();
  });

  it('without a hub it captures, and says why nothing is brought there', async () => {
    capture = machine(undefined);
    capture.configure([sensor()]);
    await open();
    await pass(200 + COMMIT_MS);
    await expect.poll(() => session?.status['waiting_bytes']).toBeGreaterThan(0);
    await expect(session?.sync()).rejects.toMatchObject({ code: 'call.failed_precondition' });
  });
});
