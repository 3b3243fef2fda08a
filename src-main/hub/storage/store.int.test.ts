import { existsSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../base/logger.ts';
import { DATABASE_FILE, openStore } from './open-store.ts';
import { isStoreFailure } from './store-failure.ts';
import type { Store } from './store.ts';
import type { Database } from './tables.ts';
import { openTestStore, testStores, type TestPlace } from './testing/test-stores.ts';

const organization = (id: string, namespace: string | null = null) => ({
  id,
  name: `name of ${id}`,
  public_namespace: namespace,
  region: '',
  cid: null,
  metadata: '{}',
  created_at: 1_700_000_000_123,
});

describe.each(testStores)('a store on $name', (kind) => {
  let store: Store;
  let place: TestPlace;
  let end: () => Promise<void>;

  beforeEach(async () => {
    ({ store, place, end } = await openTestStore(kind));
  });

  afterEach(() => end());

  const add = (id: string, namespace: string | null = null): Promise<unknown> =>
    store.transaction((tx) => tx.insertInto('organizations').values(organization(id, namespace)).execute());
  const ids = async (): Promise<string[]> =>
    (await store.db.selectFrom('organizations').select('id').orderBy('id').execute()).map(({ id }) => id);

  it('reads what was stored, also after it was closed and opened', async () => {
    await add('a');
    await store.close();
    store = await openStore(place.address, silentLogger);
    const row = await store.db.selectFrom('organizations').selectAll().executeTakeFirstOrThrow();
    expect(row).toMatchObject(organization('a'));
  });

  it('returns times and counts as numbers', async () => {
    await add('a');
    const { count } = await store.db
      .selectFrom('organizations')
      .select((query) => query.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    expect(count).toBe(1);
  });

  it('reports the number of changed rows', async () => {
    await add('a');
    await add('b');
    const update = (id: string) =>
      store.db.updateTable('organizations').set({ name: 'new' }).where('id', '=', id).executeTakeFirst();
    expect((await update('a')).numUpdatedRows).toBe(1n);
    expect((await update('z')).numUpdatedRows).toBe(0n);
    expect((await store.db.deleteFrom('organizations').executeTakeFirst()).numDeletedRows).toBe(2n);
  });

  it('stores nothing of a transaction that failed', async () => {
    const failing = store.transaction(async (tx) => {
      await tx.insertInto('organizations').values(organization('a')).execute();
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    expect(await ids()).toEqual([]);
    await add('b');
    expect(await ids()).toEqual(['b']);
  });

  it('does not show what a transaction has not committed', async () => {
    let seen: string[] | undefined;
    await store.transaction(async (tx) => {
      await tx.insertInto('organizations').values(organization('a')).execute();
      seen = await ids();
    });
    expect(seen).toEqual([]);
    expect(await ids()).toEqual(['a']);
  });

  describe('that counts', () => {
    beforeEach(() => store.transaction((tx) => tx.insertInto('settings').values({ name: 'n', value: '0' }).execute()));

    const count = async (db: Database): Promise<number> =>
      Number((await db.selectFrom('settings').select('value').where('name', '=', 'n').executeTakeFirstOrThrow()).value);
    const increment = (between: () => Promise<void> = () => Promise.resolve()): Promise<void> =>
      store.transaction(async (tx) => {
        const value = String((await count(tx)) + 1);
        await between();
        await tx.updateTable('settings').set({ value }).where('name', '=', 'n').execute();
      });

    it('runs transactions serializably: no increment is lost', async () => {
      await Promise.all(Array.from({ length: 50 }, () => increment()));
      expect(await count(store.db)).toBe(50);
    });

    it('commits a slow transaction beside quick ones that never stop changing the same row', async () => {
      let isDone = false;
      let quickCommits = 0;
      const quick = async (): Promise<void> => {
        for (; !isDone; quickCommits++) await increment();
      };
      // Each attempt gives a quick one the time to commit first, so that it has a conflict if any is let in.
      const slow = increment(async () => {
        const before = quickCommits;
        for (let query = 0; query < 50 && quickCommits === before; query++) await ids();
      });
      await Promise.all([slow.finally(() => (isDone = true)), quick(), quick()]);
      expect(await count(store.db)).toBe(quickCommits + 1);
    });
  });

  it('runs transactions that create the same row one after the other: the second sees the first', async () => {
    const next = () =>
      store.transaction(async (tx) => {
        const rows = await tx.selectFrom('settings').select('name').execute();
        await tx
          .insertInto('settings')
          .values({ name: `n${rows.length}`, value: '' })
          .execute();
      });
    await Promise.all([next(), next(), next()]);
    const rows = await store.db.selectFrom('settings').select('name').orderBy('name').execute();
    expect(rows.map(({ name }) => name)).toEqual(['n0', 'n1', 'n2']);
  });

  it('reports a duplicate value and a missing row as different failures', async () => {
    await add('a', 'acme');
    await expect(add('b', 'acme')).rejects.toSatisfy((thrown) => isStoreFailure(thrown, 'unique'));
    await expect(add('a')).rejects.toSatisfy((thrown) => isStoreFailure(thrown, 'unique'));
    const orphan = store.transaction((tx) =>
      tx
        .insertInto('locations')
        .values({
          id: 'l',
          organization_id: 'nobody',
          parent_id: null,
          name: 'l',
          region: '',
          metadata: '{}',
          created_at: 1,
        })
        .execute(),
    );
    await expect(orphan).rejects.toSatisfy((thrown) => isStoreFailure(thrown, 'foreign-key'));
    await add('c');
    await add('d');
    expect(await ids()).toEqual(['a', 'c', 'd']);
  });

  it('stores text unchanged: line ends, every kind of character, ten megabytes', async () => {
    const texts = ['{\r\n\t"a": 1 }\n', 'ä € 😀 \u2028 "quoted" \\', 'x'.repeat(10_000_000)];
    for (const [index, value] of texts.entries()) {
      await store.transaction((tx) =>
        tx
          .insertInto('settings')
          .values({ name: `t${index}`, value })
          .execute(),
      );
    }
    const rows = await store.db.selectFrom('settings').select('value').orderBy('name').execute();
    expect(rows.map(({ value }) => value === texts[rows.findIndex((row) => row.value === value)])).toEqual([
      true,
      true,
      true,
    ]);
    expect(rows.map(({ value }) => value.length)).toEqual(texts.map((text) => text.length));
  });

  it('refuses work after it was closed', async () => {
    await store.close();
    await expect(ids()).rejects.toThrow();
    store = await openStore(place.address, silentLogger);
  });
});

describe('an embedded store', () => {
  let store: Store;
  let end: () => Promise<void>;
  let place: TestPlace;
  let broken: Promise<string>;
  let tellBroken: (reason: string) => void;

  beforeEach(async () => {
    const [kind] = testStores;
    if (kind === undefined) throw new Error('there is always one');
    broken = new Promise((resolve) => (tellBroken = resolve));
    ({ store, end, place } = await openTestStore(kind, (reason) => tellBroken(reason)));
  });

  afterEach(() => end());

  const put = (name: string, value: string): Promise<unknown> =>
    store.transaction((tx) => tx.insertInto('settings').values({ name, value }).execute());

  it('reports a full disk, keeps its data, and works again when there is space', async () => {
    await put('before', 'v');
    const { rows } = await sql<{ page_count: number }>`PRAGMA page_count`.execute(store.db);
    await sql`PRAGMA max_page_count = ${sql.raw(String((rows[0]?.page_count ?? 0) + 10))}`.execute(store.db);
    await expect(put('large', 'x'.repeat(1_000_000))).rejects.toMatchObject({
      code: 'store.full',
      message: expect.stringContaining('free some space') as string,
    });
    const names = await store.db.selectFrom('settings').select('name').execute();
    expect(names).toEqual([{ name: 'before' }]);
    await sql`PRAGMA max_page_count = 1000000`.execute(store.db);
    await put('large', 'x'.repeat(1_000_000));
  });

  it.each([
    ['its folder is deleted', (folder: string) => rmSync(folder, { recursive: true })],
    ['its folder is moved away', (folder: string) => renameSync(folder, `${folder}-moved`)],
    ['another database takes its place', (folder: string) => writeFileSync(path.join(folder, 'new'), '')],
    ['its write-ahead log is deleted', (folder: string) => rmSync(path.join(folder, `${DATABASE_FILE}-wal`))],
  ])('confirms no write after %s, and reports that it is broken', async (what, ruin) => {
    await put('before', 'v');
    ruin(place.address);
    if (what.startsWith('another'))
      renameSync(path.join(place.address, 'new'), path.join(place.address, DATABASE_FILE));
    await expect(put('after', 'v')).rejects.toMatchObject({ code: 'store.unavailable' });
    expect(await broken).toContain('was deleted, moved or replaced while it was open');
    await expect(put('later', 'v')).rejects.toMatchObject({ code: 'store.unavailable' });
    rmSync(`${place.address}-moved`, { recursive: true, force: true });
  });

  it('with 0 bytes is not a first start: something emptied it', async () => {
    await store.close();
    for (const ending of ['-wal', '-shm']) rmSync(path.join(place.address, DATABASE_FILE + ending), { force: true });
    truncateSync(path.join(place.address, DATABASE_FILE));
    await expect(openStore(place.address, silentLogger)).rejects.toMatchObject({
      code: 'store.corrupt',
      message: expect.stringContaining('is empty (0 bytes)') as string,
    });
    // An interrupted first start leaves this marker.
    writeFileSync(path.join(place.address, `${DATABASE_FILE}-making`), '');
    store = await openStore(place.address, silentLogger);
    expect(existsSync(path.join(place.address, `${DATABASE_FILE}-making`))).toBe(false);
  });

  it('a transaction is rolled back as a whole even if its first statement failed, and may be empty', async () => {
    await put('there', 'v');
    const row = (name: string) => ({ name, value: 'v' });
    const happening = store.transaction(async (tx) => {
      await expect(tx.insertInto('settings').values(row('there')).execute()).rejects.toThrow();
      await tx.insertInto('settings').values(row('second')).execute();
      throw new Error('not after all');
    });
    await expect(happening).rejects.toThrow('not after all');
    expect(await store.transaction(() => Promise.resolve('nothing asked'))).toBe('nothing asked');
    const second = store.db.selectFrom('settings').selectAll().where('name', '=', 'second');
    expect(await second.execute()).toEqual([]);
  });

  it('waits for another program that writes, instead of failing', async () => {
    const other = new DatabaseSync(path.join(place.address, DATABASE_FILE));
    other.exec('BEGIN IMMEDIATE');
    const waiting = put('mine', 'v');
    const isFirst = await Promise.race([
      waiting.then(() => 'stored'),
      store.db.selectFrom('settings').selectAll().execute(),
    ]);
    // Reads continue while it waits.
    expect(isFirst).toEqual([]);
    other.exec('COMMIT');
    other.close();
    await waiting;
  });

  it('does not block the event loop while it writes', async () => {
    let ticks = 0;
    const ticking = setInterval(() => ticks++, 1);
    await put('large', 'x'.repeat(30_000_000));
    clearInterval(ticking);
    // On the main thread, the write would block all ticks.
    expect(ticks).toBeGreaterThan(5);
  });
});
