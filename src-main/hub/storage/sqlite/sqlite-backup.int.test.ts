import { existsSync, readdirSync, statSync } from 'node:fs';
import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../../base/logger.ts';
import { openStore } from '../open-store.ts';
import { lockStore } from '../store-lock.ts';
import type { Store } from '../store.ts';
import { backUp, restore } from './sqlite-backup.ts';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5, 6);

describe('backup and restore of the embedded store', () => {
  let folder: string;
  let data: string;
  let backup: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'armature-backup-'));
    data = path.join(folder, 'data');
    backup = path.join(folder, 'copy.sqlite');
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function withStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
    const store = await openStore(data, silentLogger);
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  }
  const put = (store: Store, name: string): Promise<unknown> =>
    store.transaction((tx) => tx.insertInto('settings').values({ name, value: 'v' }).execute());
  const names = async (store: Store): Promise<string[]> =>
    (await store.db.selectFrom('settings').select('name').orderBy('name').execute()).map(({ name }) => name);

  it('a backup made during writes has what was committed, and can be restored', async () => {
    await withStore(async (store) => {
      await put(store, 'before');
      await store.transaction(async (tx) => {
        await tx.insertInto('settings').values({ name: 'not committed yet', value: 'v' }).execute();
        backUp(data, backup);
      });
      await put(store, 'after');
    });
    expect(statSync(backup).mode & 0o777).toBe(0o600);
    expect(existsSync(`${backup}.partial`)).toBe(false);

    const kept = await restore(data, backup, NOW);
    expect(await withStore(names)).toEqual(['before']);
    expect(kept).toBe(path.join(data, 'hub.sqlite.before-2026-01-02T03-04-05-006Z'));
    const old = new DatabaseSync(kept ?? '', { readOnly: true });
    expect(old.prepare('SELECT count(*) AS count FROM settings').get()).toEqual({ count: 3 });
    old.close();
  });

  it('restores into an empty folder', async () => {
    await withStore((store) => put(store, 'a'));
    backUp(data, backup);
    await rm(data, { recursive: true });
    expect(await restore(data, backup, NOW)).toBeUndefined();
    expect(await withStore(names)).toEqual(['a']);
  });

  it('refuses to restore while a hub runs there, and changes nothing', async () => {
    await withStore((store) => put(store, 'a'));
    backUp(data, backup);
    const lock = await lockStore(data, { onLost: () => undefined });
    const before = readdirSync(data);
    await expect(restore(data, backup, NOW)).rejects.toMatchObject({ code: 'store.in_use' });
    expect(readdirSync(data)).toEqual(before);
    await lock.release();
    await restore(data, backup, NOW);
  });

  it('refuses a file that is no backup of a hub, and does not change the hub', async () => {
    await withStore((store) => put(store, 'a'));
    backUp(data, backup);
    const cases: [string, () => Promise<void>][] = [
      ['text', () => writeFile(backup, 'not a database at all')],
      ['another database', () => makeOther(backup)],
      ['cut short', () => truncate(backup, 20_000)],
    ];
    for (const [, spoil] of cases) {
      await spoil();
      await expect(restore(data, backup, NOW)).rejects.toMatchObject({ code: 'store.corrupt' });
      await rm(backup);
      backUp(data, backup);
    }
    expect(await withStore(names)).toEqual(['a']);
    await expect(restore(data, path.join(folder, 'nowhere'), NOW)).rejects.toMatchObject({ code: 'file.unreadable' });
  });

  it('refuses a backup of a newer program', async () => {
    await withStore(() => Promise.resolve());
    backUp(data, backup);
    const copy = new DatabaseSync(backup);
    copy.exec(`INSERT INTO kysely_migration VALUES ('9999-future', '')`);
    copy.close();
    await expect(restore(data, backup, NOW)).rejects.toMatchObject({ code: 'store.newer' });
  });

  it('restores over a broken database, and keeps that too', async () => {
    await withStore((store) => put(store, 'a'));
    backUp(data, backup);
    await writeFile(path.join(data, 'hub.sqlite'), 'broken');
    await expect(openStore(data, silentLogger)).rejects.toMatchObject({
      code: 'store.corrupt',
      message: expect.stringContaining('armature hub restore') as string,
    });
    const kept = await restore(data, backup, NOW);
    expect(await readFile(kept ?? '', 'utf8')).toBe('broken');
    expect(await withStore(names)).toEqual(['a']);
  });

  it('never overwrites a file, and needs a hub to back up', async () => {
    await withStore(() => Promise.resolve());
    await writeFile(backup, 'mine');
    expect(() => backUp(data, backup)).toThrow(expect.objectContaining({ code: 'file.unwritable' }));
    expect(await readFile(backup, 'utf8')).toBe('mine');
    expect(() => backUp(path.join(folder, 'empty'), backup)).toThrow(
      expect.objectContaining({ code: 'store.unavailable' }),
    );
    expect(() => backUp(data, path.join(folder, 'no', 'such', 'folder'))).toThrow(
      expect.objectContaining({ code: 'file.unwritable' }),
    );
  });
});

async function makeOther(file: string): Promise<void> {
  await rm(file);
  const database = new DatabaseSync(file);
  database.exec('CREATE TABLE t(a); INSERT INTO t VALUES (1)');
  database.close();
}
