import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PackageServiceDefinition, PackageType } from '../../../../proto/gen/core/app/packages/v1/packages.ts';
import { ModelServiceDefinition } from '../../../../proto/gen/core/hub/v1/models.ts';
import { DownloadResponse, RegistryServiceDefinition } from '../../../../proto/gen/core/hub/v1/registry.ts';
import { ManualClock } from '../../../base/clock.ts';
import { silentLogger } from '../../../base/logger.ts';
import { StatusCode } from '../../../base/status.ts';
import { readTar, tarLimits } from '../../../base/tar/read-tar.ts';
import { testStores } from '../../storage/testing/test-stores.ts';
import { TestHub, type AppCall } from '../../testing/test-hub.ts';
import { archiveOf, onnxFile, startPackage, uploadModel, uploadPackage } from '../testing/upload-package.ts';
import { Models } from './models.ts';
import { PackageFiles } from './package-files.ts';

const { INVALID_ARGUMENT, PERMISSION_DENIED, NOT_FOUND, ALREADY_EXISTS, FAILED_PRECONDITION } = StatusCode;
const entries = [
  { name: 'parts.onnx', content: onnxFile() },
  { name: 'labels.txt', content: 'nut\nbolt\n' },
];
const whole = archiveOf(entries);

describe.each(testStores)('packages other than modules on $name', (kind) => {
  let clock: ManualClock;
  let test: TestHub;
  let owner: AppCall;
  let token = '';
  let id = '';

  beforeEach(async () => {
    clock = new ManualClock(Date.UTC(2026, 5, 1));
    test = await TestHub.open(kind, clock);
    token = await test.logIn(test.first.ownerKey);
    owner = await test.asOwner();
    id = `${test.first.organizationId}/parts`;
  });

  afterEach(() => test.end());

  const get = (version: string, as = token, type: PackageType = PackageType.ML_MODEL) =>
    test.call(PackageServiceDefinition, 'getPackage', { id, version, type }, { token: as });
  const list = async (as = token) =>
    (
      await test.call(
        PackageServiceDefinition,
        'listPackages',
        { organizationId: test.first.organizationId },
        { token: as },
      )
    ).packages;
  const remove = (version: string, as = token) =>
    test.call(PackageServiceDefinition, 'deletePackage', { id, version, type: PackageType.ML_MODEL }, { token: as });
  const blobs = async (): Promise<string[]> =>
    (await readdir(path.join(test.folder, 'registry')).catch(() => [])).filter((name) => name !== 'uploads');
  const tokenFor = async (authorizationId: string, resourceType: string, resourceId: string): Promise<string> => {
    const authorization = { authorizationType: 'role', authorizationId, resourceType, resourceId };
    const rest = { identityId: '', organizationId: '', identityType: '' };
    const { id: key, key: secret } = await owner('createKey', {
      name: 'k',
      authorizations: [{ ...authorization, ...rest }],
    });
    return test.logIn({ id: key, secret });
  };
  const partSecret = async (): Promise<{ partId: string; secret: string }> => {
    const { parts } = await owner('getRobotParts', { robotId: test.first.machineId });
    const partId = parts[0]?.id ?? '';
    const { part } = await owner('createRobotPartSecret', { partId });
    return { partId, secret: part?.secret ?? '' };
  };

  it('are listed with their files, metadata and checksum', async () => {
    await uploadPackage(test, token, { metadata: { model_type: 'object_detection', other: [1, { a: null }] } }, whole);
    const { package: found } = await get('1.0.0');
    expect(found).toMatchObject({
      id,
      checksum: createHash('sha256').update(whole).digest('hex'),
      createdOn: new Date(clock.now()),
      url: '',
      info: { name: 'parts', version: '1.0.0', type: PackageType.ML_MODEL },
    });
    expect(found?.info?.metadata).toEqual({ model_type: 'object_detection', other: [1, { a: null }] });
    expect(found?.info?.files.map(({ name, size }) => [name, Number(size)])).toEqual([
      ['parts.onnx', onnxFile().length],
      ['labels.txt', 9],
    ]);
  });

  it('have versions that never change, and channels', async () => {
    for (const version of ['1.0.0', '1.1.0', '2026-06-01T10-00-00', '1.0.9']) {
      await uploadPackage(test, token, { version }, whole);
      clock.advance(1_000);
    }
    await expect(uploadPackage(test, token, { version: '1.0.9' }, whole)).rejects.toMatchObject({
      code: ALREADY_EXISTS,
    });
    const meant = async (version: string) => (await get(version)).package?.info?.version;
    expect(await meant('latest')).toBe('1.0.9');
    expect(await meant('1.*')).toBe('1.1.0');
    expect(await meant('1.0.*')).toBe('1.0.9');
    expect(await meant('2026-06-01T10-00-00')).toBe('2026-06-01T10-00-00');
    await expect(get('2.*')).rejects.toMatchObject({
      code: NOT_FOUND,
      message: `${id} has no version 2.*; the one that was uploaded last is 1.0.9.`,
    });
    await expect(uploadPackage(test, token, { version: 'latest' }, whole)).rejects.toMatchObject({
      code: INVALID_ARGUMENT,
    });
    await expect(uploadPackage(test, token, { name: '../x' }, whole)).rejects.toMatchObject({ code: INVALID_ARGUMENT });
    expect((await list()).map(({ info }) => info?.version)).toEqual(['1.0.9', '2026-06-01T10-00-00', '1.1.0', '1.0.0']);
  });

  it('of another type are refused by name, with the service to use', async () => {
    await expect(uploadPackage(test, token, { type: PackageType.MODULE }, whole)).rejects.toMatchObject({
      code: INVALID_ARGUMENT,
      message: expect.stringMatching(/PACKAGE_TYPE_MODULE is not taken here: .*"armature module upload"/) as string,
    });
    await expect(get('1.0.0', token, PackageType.SLAM_MAP)).rejects.toMatchObject({
      code: INVALID_ARGUMENT,
      message: expect.stringContaining('PACKAGE_TYPE_SLAM_MAP') as string,
    });
    await uploadPackage(test, token, { type: PackageType.ARCHIVE }, whole);
    expect((await get('latest', token, PackageType.UNSPECIFIED)).package?.info?.type).toBe(PackageType.ARCHIVE);
  });

  it.each<readonly [string, Uint8Array, RegExp]>([
    ['no gzip', Buffer.from('PK\u0003\u0004 a zip'), /no whole gzip file/],
    ['cut off', whole.subarray(0, whole.length - 40), /refused/],
    ['gzip of no tar', gzipSync(randomBytes(10_000)), /no tar archive/],
    ['leading out', archiveOf([...entries, { name: '../x' }]), /leads out of it/],
    [
      'a link to outside',
      archiveOf([...entries, { name: 'x', type: '2', linkName: '../../etc/passwd' }]),
      /leads out of it/,
    ],
    ['a device', archiveOf([...entries, { name: 'x', type: '3' }]), /character device/],
    ['a bomb', archiveOf([{ name: 'x', content: Buffer.alloc(80_000_000) }]), /refused/],
    ['empty', archiveOf([]), /it has no file/],
  ])('are refused where the archive is %s, and nothing is left', async (_what, bytes, message) => {
    await expect(uploadPackage(test, token, {}, bytes)).rejects.toMatchObject({
      code: INVALID_ARGUMENT,
      message: expect.stringMatching(message) as string,
    });
    expect(await blobs()).toEqual([]);
    expect(await list()).toEqual([]);
  });

  it('are not stored by an upload that is cut off, but by the next one', async () => {
    const call = startPackage(test, token, {});
    call.sink.cancel('the cable is out');
    await call.ended;
    expect(await list()).toEqual([]);
    await uploadPackage(test, token, {}, whole);
    expect(await list()).toHaveLength(1);
  });

  it('are deleted with their bytes, unless another version has the same bytes', async () => {
    await uploadPackage(test, token, {}, whole);
    await uploadPackage(test, token, { version: '1.0.1' }, whole);
    await remove('1.0.0');
    expect(await blobs()).toHaveLength(1);
    await remove('1.0.1');
    expect(await blobs()).toEqual([]);
    await expect(remove('1.0.1')).rejects.toMatchObject({ code: NOT_FOUND });
  });

  it('keep their organization from being deleted', async () => {
    const { organization } = await owner('createOrganization', { name: 'Others' });
    const organizationId = organization?.id ?? '';
    await uploadPackage(test, token, { organizationId }, whole);
    await expect(owner('deleteOrganization', { organizationId })).rejects.toMatchObject({ code: FAILED_PRECONDITION });
  });

  it('are read by everybody in the organization, machines too, changed by its owners, and not seen by others', async () => {
    await uploadPackage(test, token, {}, whole);
    const { organization } = await owner('createOrganization', { name: 'Others' });
    const stranger = await tokenFor('organization_owner', 'organization', organization?.id ?? '');
    const operator = await tokenFor('robot_operator', 'robot', test.first.machineId);
    const { partId, secret } = await partSecret();
    const part = await test.logIn({ id: partId, secret, type: 'robot-secret' });
    for (const as of [operator, part]) {
      expect((await get('latest', as)).package?.info?.version).toBe('1.0.0');
      expect(await list(as)).toHaveLength(1);
      await expect(remove('1.0.0', as)).rejects.toMatchObject({ code: PERMISSION_DENIED });
      await expect(uploadPackage(test, as, { version: '1.0.1' }, whole)).rejects.toMatchObject({
        code: PERMISSION_DENIED,
      });
      await expect(uploadModel(test, as, { version: '1.0.1' }, onnxFile())).rejects.toMatchObject({
        code: PERMISSION_DENIED,
      });
      const { models, owners } = await test.call(ModelServiceDefinition, 'list', {}, { token: as });
      expect([models.map(({ mayChange }) => mayChange), owners]).toEqual([[false], []]);
    }
    await expect(get('latest', stranger)).rejects.toMatchObject({ code: NOT_FOUND });
    await expect(list(stranger)).rejects.toMatchObject({ code: NOT_FOUND });
    await expect(remove('1.0.0', stranger)).rejects.toMatchObject({ code: NOT_FOUND });
    expect((await test.call(ModelServiceDefinition, 'list', {}, { token: stranger })).models).toEqual([]);
  });

  it('are still there after a restart of the hub, and so are their bytes', async () => {
    await uploadPackage(test, token, {}, whole);
    await test.close();
    test = await TestHub.open(kind, clock, test.place);
    expect((await get('1.0.0')).package?.info?.name).toBe('parts');
    const request = { moduleId: id, version: '1.0.0', platform: 'any', offset: 10n, type: 'ml_model' };
    const call = test.start(RegistryServiceDefinition, 'download', request, { token });
    expect((await call.ended).code).toBe(0);
    const bytes = call.messages.flatMap((message) => {
      const { part } = DownloadResponse.decode(message);
      return part?.$case === 'bytes' ? [Buffer.from(part.value)] : [];
    });
    expect(Buffer.concat(bytes).equals(whole.subarray(10))).toBe(true);
  });

  it('are reported to a machine that follows a channel, as soon as they are uploaded', async () => {
    const wants = [{ moduleId: id, version: 'latest', platform: 'linux/amd64', platformTags: [], type: 'ml_model' }];
    const call = test.start(RegistryServiceDefinition, 'watchResolutions', { wants }, { token });
    const told = async (count: number): Promise<string[]> => {
      while (call.messages.length < count) await new Promise(setImmediate);
      const { watchResolutions } = RegistryServiceDefinition.methods;
      return call.messages.map((one) => {
        const [resolution] = watchResolutions.responseType.decode(one).resolutions;
        return resolution?.version || (resolution?.problem ?? '');
      });
    };
    expect(await told(1)).toEqual([`There is no package ${id}: upload one, or check "package".`]);
    await uploadPackage(test, token, {}, whole);
    expect((await told(2)).at(-1)).toBe('1.0.0');
    clock.advance(1);
    await uploadPackage(test, token, { version: '1.0.1' }, whole);
    expect((await told(3)).at(-1)).toBe('1.0.1');
    await remove('1.0.1');
    expect((await told(4)).at(-1)).toBe('1.0.0');
    call.sink.cancel('enough');
    await call.ended;
  });

  describe('made of a model file', () => {
    it('have the file, its labels and a description of both', async () => {
      const file = onnxFile(100_000);
      await uploadModel(test, token, { modelType: 'object_detection', labels: ['nut', 'Schraube ß'] }, file);
      const [only] = (await test.call(ModelServiceDefinition, 'list', {}, { token })).models;
      expect(only).toMatchObject({ id, name: 'parts', mayChange: true });
      expect(only?.versions[0]).toMatchObject({
        version: '1.0.0',
        modelType: 'object_detection',
        framework: 'onnx',
        labels: ['nut', 'Schraube ß'],
        modelFile: 'parts.onnx',
        labelsFile: 'labels.txt',
      });
      const { resolutions } = await test.call(
        RegistryServiceDefinition,
        'resolve',
        { wants: [{ moduleId: id, version: 'latest', platform: 'linux/arm64', platformTags: [], type: 'ml_model' }] },
        { token },
      );
      expect(resolutions[0]).toMatchObject({ version: '1.0.0', platform: 'any' });
      const found = await test.hub.parts.registry.others.get({
        organizationId: test.first.organizationId,
        type: 'ml_model',
        name: 'parts',
        version: '1.0.0',
      });
      const blob = await test.hub.parts.registry.others.open(found, 0);
      const packed = await buffer(blob);
      const unpacked = new Map<string, Buffer>();
      const tar = readTar(Readable.from([gunzipSync(packed)]), {
        archiveBytes: packed.length,
        limits: tarLimits,
        refuse: (why) => new Error(why),
      });
      for await (const entry of tar) unpacked.set(entry.name, await buffer(entry.chunks()));
      expect([...unpacked.keys()]).toEqual(['model.json', 'labels.txt', 'parts.onnx']);
      expect(unpacked.get('parts.onnx')?.equals(file)).toBe(true);
      expect(unpacked.get('labels.txt')?.toString()).toBe('nut\nSchraube ß\n');
      expect(JSON.parse(unpacked.get('model.json')?.toString() ?? '')).toEqual({
        name: 'parts',
        version: '1.0.0',
        model_type: 'object_detection',
        model_framework: 'onnx',
        model_file: 'parts.onnx',
        labels_file: 'labels.txt',
        labels: ['nut', 'Schraube ß'],
        uploaded_on: '2026-06-01',
      });
    });

    it.each<readonly [string, Parameters<typeof uploadModel>[2], Buffer, RegExp]>([
      ['no model', {}, Buffer.from('%PDF-1.7 and so on, which is no model'), /no ONNX model/],
      ['empty', {}, Buffer.alloc(0), /empty, or too short/],
      ['another framework', {}, Buffer.from('\u001c\0\0\0TFL3 and so on'), /is a TFLite model/],
      ['no TFLite', { framework: 'tflite' }, onnxFile(), /no TFLite model/],
      ['of a framework that is not supported', { framework: 'pytorch' }, onnxFile(), /"pytorch" is not supported/],
      ['of a type that is none', { modelType: 'segmentation' }, onnxFile(), /"segmentation" is not supported/],
      ['shorter than it said', { bytes: 5_000n }, onnxFile(), /fewer bytes than the 5000/],
      ['longer than it said', { bytes: 20n }, onnxFile(50_000), /more bytes than the 20/],
      ['with an empty label', { labels: ['a', '', 'b'] }, onnxFile(), /Label 2 is empty/],
    ])('are refused where the file is %s', async (_what, model, file, message) => {
      await expect(uploadModel(test, token, model, file)).rejects.toMatchObject({
        code: INVALID_ARGUMENT,
        message: expect.stringMatching(message) as string,
      });
      expect(await list()).toEqual([]);
      expect(await blobs()).toEqual([]);
    });
  });

  it('are published by other features of the hub', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'armature-model-'));
    const file = path.join(folder, 'model.onnx');
    await writeFile(file, Buffer.from('080812046e6f6e65', 'hex'));
    const models = new Models(test.hub.parts.registry.others, clock);
    const model = {
      organizationId: test.first.organizationId,
      name: 'parts',
      author: 'training',
      type: 'object_detection' as const,
      labels: ['nut'],
      card: { seed: 1 },
      file,
    };
    expect(await models.versionsOf(model.organizationId, 'parts')).toEqual([]);
    await models.addModel({ ...model, version: '3' });
    await expect(models.addModel({ ...model, version: '3' })).rejects.toMatchObject({
      code: 'registry.version_exists',
    });
    expect(await models.versionsOf(model.organizationId, 'parts')).toEqual(['3']);
    expect((await list())[0]?.id).toBe(models.idOf(model.organizationId, 'parts'));
    await rm(folder, { recursive: true });
  });

  describe('over HTTP', () => {
    let server: Server;
    let url = '';
    let headers: Record<string, string> = {};

    beforeEach(async () => {
      const { parts } = test.hub;
      const access = { isInsecure: () => false, refusals: parts.refusals };
      const files = new PackageFiles({
        ...parts,
        packages: parts.registry.others,
        access,
        clock,
        logger: silentLogger,
      });
      server = createServer((request, response) => void files.answer(request, response)).listen(0, '127.0.0.1');
      await new Promise((resolve) => server.once('listening', resolve));
      await uploadPackage(test, token, {}, whole);
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/packages/${test.first.organizationId}/ml_model/parts/1.0.0.tar.gz`;
      const { id: keyId, secret } = test.first.ownerKey;
      headers = { key_id: keyId, key: secret };
    });

    afterEach(() => {
      server.closeAllConnections();
      server.close();
    });

    it('are sent with their checksum, to API keys and to parts', async () => {
      const { partId, secret } = await partSecret();
      for (const shown of [headers, { part_id: partId, secret }] as Record<string, string>[]) {
        const head = await fetch(url, { method: 'HEAD', headers: shown });
        expect([head.status, head.headers.get('content-length')]).toEqual([200, String(whole.length)]);
        const response = await fetch(url, { headers: shown });
        expect(response.headers.get('content-type')).toBe('application/x-gzip');
        expect(response.headers.get('x-goog-hash')).toBe(`crc32c=${crc32c(whole)}`);
        expect(Buffer.from(await response.arrayBuffer()).equals(whole)).toBe(true);
      }
    });

    it('can be resumed at any byte', async () => {
      const at = Math.floor(whole.length / 2);
      const response = await fetch(url, { headers: { ...headers, range: `bytes=${at}-` } });
      expect([response.status, response.headers.get('content-range')]).toEqual([
        206,
        `bytes ${at}-${whole.length - 1}/${whole.length}`,
      ]);
      expect(Buffer.from(await response.arrayBuffer()).equals(whole.subarray(at))).toBe(true);
      expect((await fetch(url, { headers: { ...headers, range: `bytes=${whole.length}-` } })).status).toBe(416);
      // A client must not append bytes of another version to those it already has.
      const other = await fetch(url, { headers: { ...headers, range: `bytes=${at}-`, 'if-range': '"else"' } });
      expect([other.status, (await other.arrayBuffer()).byteLength]).toEqual([200, whole.length]);
    });

    it('are refused without a key, with a wrong key, and with a key of another organization', async () => {
      const { organization } = await owner('createOrganization', { name: 'Others' });
      const authorization = {
        authorizationType: 'role',
        authorizationId: 'organization_owner',
        resourceType: 'organization',
        resourceId: organization?.id ?? '',
      };
      const rest = { identityId: '', organizationId: '', identityType: '' };
      const stranger = await owner('createKey', { name: 'k', authorizations: [{ ...authorization, ...rest }] });
      expect((await fetch(url)).status).toBe(401);
      expect((await fetch(url, { headers: { ...headers, key: 'wrong' } })).status).toBe(401);
      expect((await fetch(url, { headers: { key_id: stranger.id, key: stranger.key } })).status).toBe(404);
      expect((await fetch(url.replace('1.0.0', '1.0.1'), { headers })).status).toBe(404);
      expect((await fetch(url.replace('parts', '%'), { headers })).status).toBe(404);
      expect((await fetch(url, { method: 'POST', headers })).status).toBe(405);
    });
  });
});

/** CRC-32C, bit by bit as RFC 3720 B.4 defines it. */
function crc32c(bytes: Uint8Array): string {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  }
  const digest = Buffer.alloc(4);
  digest.writeUInt32BE(~crc >>> 0);
  return digest.toString('base64');
}
