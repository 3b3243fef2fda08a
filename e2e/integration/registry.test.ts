import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RegistryServiceDefinition, type ResolveResponse } from '../../proto/gen/core/hub/v1/registry.ts';
import { makePackage } from '../../src-main/hub/registry/testing/make-package.ts';
import { testStores, type TestPlace } from '../../src-main/hub/storage/testing/test-stores.ts';
import { RobotServiceDefinition } from '../../proto/gen/core/robot/v1/robot.ts';
import { GrpcClient } from '../harness/grpc-client.ts';
import { HubClient, hubFolder, startHub, type HubProcess } from '../harness/hub-process.ts';
import { beginUpload, createMotors, download, publishedVersions, sendBytes, upload } from '../harness/module-upload.ts';
import { runArmature, startServer } from '../harness/server-process.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { until } from '../harness/until.ts';

describe.each(testStores)('the registry of a hub on $name', (kind) => {
  let place: TestPlace;
  let folder: { readonly data: string; remove(): Promise<void> };
  let hub: HubProcess;
  let client: HubClient;

  beforeEach(async () => {
    place = await kind.makePlace();
    folder = await hubFolder();
    await start();
    if (hub.ownerKey === undefined) throw new Error('no owner key');
    client = await HubClient.logIn(hub.url, hub.ownerKey);
    await createMotors(client, hub.organizationId ?? '');
  });

  afterEach(async () => {
    client.close();
    await hub.stop();
    await place.remove();
    await folder.remove();
  });

  const start = async (): Promise<void> => {
    const args = place.address.startsWith('postgres:') ? ['--database', place.address] : [];
    hub = await startHub({ data: folder.data, args: ['--no-tls', ...args] });
  };
  const reconnect = (): void => {
    client.close();
    client = new HubClient(new GrpcClient(hub.url), client.token, client.keyId);
  };
  const files = (...below: string[]): Promise<string[]> =>
    readdir(path.join(folder.data, 'registry', ...below)).catch(() => []);

  it('that is killed in the middle of uploads has nothing half, and goes on', async () => {
    const bytes = makePackage({}, [{ name: 'data', content: randomBytes(4_000_000) }]);
    for (let fifth = 0; fifth <= 5; fifth++) {
      const version = `1.0.${fifth}`;
      const sending = beginUpload(client, version);
      const sent = sendBytes(sending, bytes.subarray(0, Math.floor((bytes.length * fifth) / 5)));
      await until('it is being received', async () => (await files('uploads')).length > 0, 10_000);
      // With the last one the request is complete, and the response may be under way.
      if (fifth === 5) {
        await sent;
        void sending.end().catch(() => undefined);
      }
      await hub.crash();
      await sending.answer.then(
        () => undefined,
        () => undefined,
      );
      await start();
      reconnect();
      expect(await files('uploads')).toEqual([]);
      const published = await publishedVersions(client);
      expect(published.length).toBe(fifth + (published[0] === version ? 1 : 0));
      const expected = published.length > 0 ? 1 : 0;
      const packages = async (): Promise<number> => (await files()).filter((name) => name.length === 64).length;
      await until('nothing is there but what is published', async () => (await packages()) === expected, 10_000);
      if (published[0] !== version) await upload(client, version, bytes);
      expect((await download(client, version)).equals(bytes)).toBe(true);
    }
  });

  it('tells a machine of a new version while it follows, and sends its package from where it was cut off', async () => {
    const bytes = makePackage({}, [{ name: 'data', content: randomBytes(3_000_000) }]);
    await upload(client, '1.2.3', bytes);
    const headers = { authorization: `Bearer ${client.token}` };
    const wants = [{ moduleId: 'acme:motors', version: '1.2.*', platform: 'linux/amd64', platformTags: [], type: '' }];
    const told: string[] = [];
    const stream = client.grpc.stream(RegistryServiceDefinition, 'watchResolutions', { wants }, { headers });
    stream.on('data', ({ resolutions }: ResolveResponse) => told.push(resolutions[0]?.version ?? ''));
    stream.on('error', () => undefined);
    await until('it is told of what is there', () => told.length === 1, 10_000);
    await upload(client, '1.2.4', bytes);
    await until('it is told of the new one', () => told.length === 2, 10_000);
    expect(told).toEqual(['1.2.3', '1.2.4']);
    stream.cancel();
    expect((await download(client, '1.2.4', 1_000_001)).equals(bytes.subarray(1_000_001))).toBe(true);
  });

  it.skipIf(kind.name !== 'SQLite')('is in the backup that a command makes, and comes back with it', async () => {
    const bytes = makePackage();
    await upload(client, '1.0.0', bytes);
    const backup = path.join(path.dirname(folder.data), 'copy');
    const made = await runArmature(['hub', 'backup', backup, '--data', folder.data]);
    expect(made.stdout).toBe(`backup ${backup}\npackages 1 ${backup}.packages\n`);
    await client.call('deleteRegistryItem', { itemId: 'acme:motors' });
    expect((await files()).filter((name) => name.length === 64)).toEqual([]);
    await hub.stop();
    const restored = await runArmature(['hub', 'restore', backup, '--data', folder.data]);
    expect(restored.stdout).toContain(`packages 1 ${backup}.packages`);
    await start();
    reconnect();
    expect((await download(client, '1.0.0')).equals(bytes)).toBe(true);
  });
});

describe('the registry beside a machine', () => {
  it('is on the machine’s own port: for whoever owns the computer', async () => {
    const home = await temporaryFolder();
    const server = await startServer({ config: '{"network": {"bind_address": "localhost:0"}}', home });
    const client = new HubClient(new GrpcClient(server), server.token);
    try {
      const { primaryOrgId } = await client.grpc.call(RobotServiceDefinition, 'getCloudMetadata', {});
      await createMotors(client, primaryOrgId);
      const bytes = makePackage();
      await upload(client, '1.0.0', bytes);
      expect(await publishedVersions(client)).toEqual(['1.0.0']);
      expect((await download(client, '1.0.0')).equals(bytes)).toBe(true);
      const place = path.join(home, 'home', 'hub', 'registry');
      expect((await readdir(place)).filter((name) => name.length === 64)).toHaveLength(1);
    } finally {
      client.close();
      await server.stop();
    }
  });
});
