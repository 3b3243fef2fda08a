import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RegistryServiceDefinition } from '../../../../proto/gen/core/hub/v1/registry.ts';
import { systemClock } from '../../../base/clock.ts';
import { backUp, restore } from '../../storage/sqlite/sqlite-backup.ts';
import { testStores } from '../../storage/testing/test-stores.ts';
import { TestHub } from '../../testing/test-hub.ts';
import { backUpPackages, packagesBeside, restorePackages } from './packages-backup.ts';
import { makePackage } from '../testing/make-package.ts';
import { publish } from '../testing/publish.ts';

const [sqlite] = testStores;
if (sqlite === undefined) throw new Error('no SQLite');

describe('packages in a backup', () => {
  let folder = '';
  let test: TestHub;
  let token = '';
  let backup = '';

  const open = async (): Promise<void> => {
    test = await TestHub.open(sqlite, systemClock, { address: folder, remove: () => Promise.resolve() }, { folder });
  };
  const put = (version: string) => publish(test, token, { version }, makePackage({}, [{ name: version }]));
  const inRegistry = async (): Promise<string[]> =>
    (await readdir(path.join(folder, 'registry'))).filter((name) => name.length === 64).sort();
  const downloadsWhole = async (version: string): Promise<boolean> => {
    const request = { moduleId: 'acme:motors', version, platform: 'linux/any', offset: 0n };
    return (await test.start(RegistryServiceDefinition, 'download', request, { token }).ended).code === 0;
  };

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'armature-backup-'));
    backup = path.join(folder, 'copy');
    await open();
    token = await test.logIn(test.first.ownerKey);
    const owner = await test.asOwner();
    const { organizationId } = test.first;
    await owner('updateOrganizationNamespace', { organizationId, newPublicNamespace: 'acme' });
    await owner('createModule', { organizationId, name: 'motors' });
  });

  afterEach(async () => {
    await test.close();
    await rm(folder, { recursive: true });
  });

  it('are restored with it, also in an empty hub; newer ones stay with the previous database', async () => {
    await put('1.0.0');
    await put('1.0.1');
    backUp(folder, backup);
    expect(backUpPackages(folder, backup)).toEqual({ copied: 2, missing: [] });
    const saved = await inRegistry();
    await put('1.0.2');
    const newer = (await inRegistry()).filter((name) => !saved.includes(name));
    await test.close();

    const kept = await restore(folder, backup, 0);
    expect(restorePackages(folder, backup, kept)).toEqual({ copied: 0, missing: [] });
    expect(await readdir(packagesBeside(kept ?? ''))).toEqual(newer);
    await open();
    expect(await inRegistry()).toEqual(saved);
    expect([await downloadsWhole('1.0.1'), await downloadsWhole('1.0.2')]).toEqual([true, false]);
    await test.close();

    // Back to the previous database, with one package missing from the disk of the hub.
    await rm(path.join(folder, 'registry', saved[0] ?? ''));
    const again = await restore(folder, kept ?? '', 1);
    expect(restorePackages(folder, kept ?? '', again)).toEqual({ copied: 1, missing: [saved[0]] });
    expect(restorePackages(folder, backup, undefined)).toEqual({ copied: 1, missing: [] });
    await open();
    expect([await downloadsWhole('1.0.0'), await downloadsWhole('1.0.2')]).toEqual([true, true]);
  });

  it('are checked: a damaged one is reported as missing, and a download of it says what to do', async () => {
    await put('1.0.0');
    const [sha256 = ''] = await inRegistry();
    const place = path.join(folder, 'registry', sha256);
    const bytes = await readFile(place);
    bytes[100] = (bytes[100] ?? 0) ^ 1;
    await writeFile(place, bytes);
    backUp(folder, backup);
    expect(backUpPackages(folder, backup)).toEqual({ copied: 0, missing: [sha256] });
    await writeFile(place, bytes.subarray(0, 10));
    const request = { moduleId: 'acme:motors', version: '1.0.0', platform: 'linux/any', offset: 0n };
    const ended = await test.start(RegistryServiceDefinition, 'download', request, { token }).ended;
    expect(ended.message).toMatch(
      /has 10 bytes instead of \d+\. Restore it from a backup\. Or publish acme:motors again/,
    );
  });

  it('a hub without packages has no folder for them', async () => {
    backUp(folder, backup);
    expect(backUpPackages(folder, backup)).toEqual({ copied: 0, missing: [] });
    expect((await readdir(folder)).filter((name) => name.endsWith('.packages'))).toEqual([]);
  });
});
