import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makePackage } from '../../src-main/hub/registry/testing/make-package.ts';
import { GrpcClient } from '../harness/grpc-client.ts';
import { HubClient, hubFolder, startHub, type HubProcess } from '../harness/hub-process.ts';
import { beginUpload, createMotors, download, publishedVersions, sendBytes, upload } from '../harness/module-upload.ts';
import { S3Server, s3Program } from '../../src-main/hub/blobs/testing/s3-server.ts';
import { runArmature } from '../harness/server-process.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { until } from '../harness/until.ts';

describe.skipIf(s3Program === undefined)('a hub that keeps its files in a bucket', () => {
  let server: S3Server;
  let folder: { readonly data: string; remove(): Promise<void> };
  let hub: HubProcess;
  let client: HubClient;

  beforeEach(async () => {
    server = await S3Server.start(await temporaryFolder());
    for (const [name, value] of Object.entries(server.environment)) vi.stubEnv(name, value);
    folder = await hubFolder();
    await start();
    if (hub.ownerKey === undefined) throw new Error('no owner key');
    client = await HubClient.logIn(hub.url, hub.ownerKey);
    await createMotors(client, hub.organizationId ?? '');
  });

  afterEach(async () => {
    client.close();
    await hub.stop();
    await server.kill();
    vi.unstubAllEnvs();
    await folder.remove();
  });

  const start = async (...args: string[]): Promise<void> => {
    hub = await startHub({ data: folder.data, args: ['--no-tls', '--files', server.address, ...args] });
  };
  const restart = async (): Promise<void> => {
    await hub.crash();
    await start();
    client.close();
    client = new HubClient(new GrpcClient(hub.url), client.token, client.keyId);
  };
  const inFolder = async (): Promise<string[]> => {
    const names = await readdir(path.join(folder.data, 'registry')).catch(() => []);
    return names.filter((name) => name !== 'uploads');
  };

  const stored = async (): Promise<string[]> => {
    const names = await readdir(server.bucket, { recursive: true });
    return names.filter((name) => /[0-9a-f]{64}$/.test(name));
  };

  it('has packages there and none in its folder, over a kill of either', async () => {
    const bytes = makePackage({}, [{ name: 'data', content: randomBytes(3_000_000) }]);
    await upload(client, '1.0.0', bytes);
    await server.kill();
    await server.resume();
    await restart();
    expect((await download(client, '1.0.0', 1_000_001)).equals(bytes.subarray(1_000_001))).toBe(true);
    expect((await download(client, '1.0.0')).equals(bytes)).toBe(true);
    expect(await inFolder()).toEqual([]);
    const backup = path.join(path.dirname(folder.data), 'copy');
    const made = await runArmature(['hub', 'backup', backup, '--data', folder.data, '--files', server.address]);
    expect(made.stdout).toBe(`backup ${backup}\npackages in ${server.address} 1: back that bucket up too\n`);
  });

  it('starts and does all else while the bucket does not answer; what needs it says so, and comes back with it', async () => {
    const bytes = makePackage({}, [{ name: 'data', content: randomBytes(100_000) }]);
    await upload(client, '1.0.0', bytes);
    await server.kill();
    await restart();
    expect(await publishedVersions(client)).toEqual(['1.0.0']);
    const away = { code: 14, details: expect.stringMatching(/s3:\/\/armature-test\/hub.*does not answer/) as string };
    await expect(download(client, '1.0.0')).rejects.toMatchObject(away);
    await expect(upload(client, '1.0.1', bytes)).rejects.toMatchObject(away);
    expect(await publishedVersions(client)).toEqual(['1.0.0']);
    await server.resume();
    expect((await download(client, '1.0.0')).equals(bytes)).toBe(true);
    await upload(client, '1.0.1', bytes);
    expect(await publishedVersions(client)).toEqual(['1.0.1', '1.0.0']);
  });

  it('that is killed while it publishes has all of the package or nothing', async () => {
    for (const [round, waits] of [false, true, false, true].entries()) {
      const version = `1.0.${round}`;
      const bytes = makePackage({}, [{ name: 'data', content: randomBytes(2_000_000) }]);
      const before = (await stored()).length;
      const sending = beginUpload(client, version);
      await sendBytes(sending, bytes);
      void sending.end().catch(() => undefined);
      if (waits) await until('the bucket has it', async () => (await stored()).length > before, 10_000);
      await restart();
      await sending.answer.then(
        () => undefined,
        () => undefined,
      );
      const isPublished = (await publishedVersions(client))[0] === version;
      if (!isPublished) await upload(client, version, bytes);
      expect((await download(client, version)).equals(bytes)).toBe(true);
    }
    await client.call('deleteRegistryItem', { itemId: 'acme:motors' });
    await until('the bucket has nothing left', async () => (await stored()).length === 0, 10_000);
  });
});
