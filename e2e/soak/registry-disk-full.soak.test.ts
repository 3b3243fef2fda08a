import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makePackage } from '../../src-main/hub/registry/testing/make-package.ts';
import { HubClient, startHub, type HubProcess } from '../harness/hub-process.ts';
import { createMotors, download, publishedVersions, upload } from '../harness/module-upload.ts';
import { tell } from './figures.ts';
import { fill, makeSmallDisk, whyNoSmallDisk, type SmallDisk } from './small-disk.ts';

describe.skipIf(whyNoSmallDisk !== undefined)(`a full disk (${whyNoSmallDisk ?? 'a small one in memory'})`, () => {
  let disk: SmallDisk;
  let hub: HubProcess;
  let client: HubClient;

  beforeEach(async () => {
    disk = await makeSmallDisk(24);
    const data = path.join(disk.folder, 'data');
    hub = await startHub({ data, through: disk.through, args: ['--no-tls'] });
    if (hub.ownerKey === undefined) throw new Error('no owner key');
    client = await HubClient.logIn(hub.url, hub.ownerKey);
    await createMotors(client, hub.organizationId ?? '');
  });

  afterEach(async () => {
    client.close();
    await hub.stop();
    await disk.remove();
  });

  const files = async (...below: string[]): Promise<string[]> =>
    readdir(path.join(disk.outside, 'data', 'registry', ...below)).catch(() => []);

  it('while a package comes: refused by name, nothing half, what is published is served, the next one is taken', async () => {
    const small = makePackage({}, [{ name: 'data', content: randomBytes(500_000) }]);
    const large = makePackage({}, [{ name: 'data', content: randomBytes(30_000_000) }]);
    await upload(client, '1.0.0', small);
    const full = { code: 8, details: expect.stringMatching(/disk of the hub is full.*free some space/) as string };
    await expect(upload(client, '1.0.1', large)).rejects.toMatchObject(full);
    expect(await files('uploads')).toEqual([]);
    expect((await files()).filter((name) => name.length === 64)).toHaveLength(1);
    await upload(client, '1.0.1', small);

    const makeRoom = await fill(disk);
    let refused = 0;
    for (let attempt = 0; attempt < 10; attempt++) {
      await upload(client, '1.0.2', small).catch((thrown: unknown) => {
        expect(thrown).toMatchObject(full);
        refused++;
      });
    }
    expect(refused).toBe(10);
    expect(await files('uploads')).toEqual([]);
    expect(await publishedVersions(client)).toEqual(['1.0.1', '1.0.0']);
    expect((await download(client, '1.0.1')).equals(small)).toBe(true);
    await makeRoom();
    await upload(client, '1.0.2', small);
    expect((await download(client, '1.0.2')).equals(small)).toBe(true);
    tell(`disk full: ${refused + 1} of ${refused + 1} uploads refused by name, nothing left of them`);
  });
});
