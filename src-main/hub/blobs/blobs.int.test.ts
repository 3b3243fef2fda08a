import { systemClock } from '../../base/clock.ts';
import { standaloneCluster } from '../cluster/cluster.ts';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { S3Server, s3Program } from './testing/s3-server.ts';
import { silentLogger } from '../../base/logger.ts';
import type { Store } from '../storage/store.ts';
import { openTestStore, testStores, type TestPlace } from '../storage/testing/test-stores.ts';
import type { WriteTransaction } from '../storage/tables.ts';
import { BlobStore } from './blob-store.ts';
import type { Blobs } from './blobs.ts';

const NONE = { code: 'store.corrupt', message: expect.stringContaining('is missing') as string };

const [sqlite] = testStores;
if (sqlite === undefined) throw new Error('no SQLite');

/** A bucket is only tested with the program of `npm run test:s3`. */
const places = s3Program === undefined ? (['a folder'] as const) : (['a folder', 'a bucket'] as const);

describe.each(places)('blobs in %s', (where) => {
  let server: S3Server | undefined;
  let serverFolder = '';
  let folder = '';
  let store: Store;
  let database: TestPlace;
  let blobs: Blobs;

  beforeAll(async () => {
    serverFolder = await mkdtemp(path.join(os.tmpdir(), 'armature-s3-'));
    if (where !== 'a bucket') return;
    server = await S3Server.start(serverFolder);
    for (const [name, value] of Object.entries(server.environment)) vi.stubEnv(name, value);
  });

  afterAll(async () => {
    await server?.kill();
    vi.unstubAllEnvs();
    await rm(serverFolder, { recursive: true, force: true });
  });

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'armature-blobs-'));
    ({ store, place: database } = await openTestStore(sqlite));
    // A table of references to blobs that only these tests have.
    await sql`CREATE TABLE names (sha256 text NOT NULL)`.execute(store.db);
    blobs = await openBlobs();
    await blobs.start();
  });

  afterEach(async () => {
    await blobs.close();
    await store.close();
    await database.remove();
    await rm(folder, { recursive: true });
  });

  const openBlobs = async (hubId = path.basename(folder)): Promise<Blobs> => {
    const options = {
      address: server?.address,
      folder,
      hubId,
      store,
      cluster: standaloneCluster('hub'),
      clock: systemClock,
      logger: silentLogger,
    };
    const isUsed = async (sha256: string): Promise<boolean> => {
      const { rows } = await sql`SELECT 1 FROM names WHERE sha256 = ${sha256}`.execute(store.db);
      return rows.length > 0;
    };
    return (await BlobStore.open(options)).area({ area: 'things', isUsed });
  };
  const name =
    (sha256: string) =>
    async (tx: WriteTransaction): Promise<void> =>
      void (await sql`INSERT INTO names VALUES (${sha256})`.execute(tx));
  const forget =
    (sha256: string) =>
    async (tx: WriteTransaction): Promise<void> =>
      void (await sql`DELETE FROM names WHERE sha256 = ${sha256}`.execute(tx));
  const release = (sha256: string, forgetIt = forget(sha256), from = blobs): Promise<void> =>
    from.release(async (tx, letGo) => {
      await letGo([sha256, sha256]);
      await forgetIt(tx);
    });
  const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
  /** @param record stores the reference */
  const put = async (bytes: Buffer, record = name(hashOf(bytes)), into = blobs): Promise<string> => {
    const draft = await into.begin();
    try {
      await draft.write(bytes.subarray(0, 1));
      await draft.write(bytes.subarray(1));
      const sha256 = (await draft.finish()).toString('hex');
      await into.keep(draft, sha256, record);
      return sha256;
    } finally {
      await draft.close();
    }
  };
  const get = async (sha256: string, bytes: number, offset = 0, from = blobs): Promise<Buffer> => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of await from.open(sha256, bytes, offset)) chunks.push(Uint8Array.from(chunk));
    return Buffer.concat(chunks);
  };
  const unsettled = async (): Promise<number> =>
    (await store.db.selectFrom('unsettled_blobs').select('sha256').execute()).length;
  const drafts = (): Promise<string[]> => readdir(path.join(folder, 'things', 'uploads'));
  const never = (): Promise<void> => Promise.reject(new Error('not after all'));

  it('are read back unchanged, from any offset', async () => {
    const bytes = randomBytes(1_500_000);
    const sha256 = await put(bytes);
    expect(sha256).toBe(hashOf(bytes));
    for (const offset of [0, 1, 262_144, 1_499_999, 1_500_000]) {
      expect((await get(sha256, bytes.length, offset)).equals(bytes.subarray(offset))).toBe(true);
    }
    expect([await drafts(), await unsettled()]).toEqual([[], 0]);
  });

  it('are removed if recording the reference fails, unless something else refers to them', async () => {
    const bytes = randomBytes(1_000);
    const sha256 = hashOf(bytes);
    await expect(put(bytes, never)).rejects.toThrow('not after all');
    await expect(get(sha256, bytes.length)).rejects.toMatchObject(NONE);
    await put(bytes);
    await expect(put(bytes, never)).rejects.toThrow('not after all');
    expect((await get(sha256, bytes.length)).equals(bytes)).toBe(true);
    expect([await drafts(), await unsettled()]).toEqual([[], 0]);
  });

  it('exist as long as something refers to them', async () => {
    const bytes = randomBytes(1_000);
    const sha256 = await put(bytes);
    await put(bytes);
    const one = async (tx: WriteTransaction): Promise<void> =>
      void (await sql`DELETE FROM names WHERE rowid = (SELECT min(rowid) FROM names)`.execute(tx));
    await release(sha256, one);
    expect((await get(sha256, bytes.length)).equals(bytes)).toBe(true);
    await release(sha256);
    await expect(get(sha256, bytes.length)).rejects.toMatchObject(NONE);
    expect(await unsettled()).toBe(0);
  });

  it('that are stored and released at the same time exist if something refers to them', async () => {
    const bytes = randomBytes(1_000);
    const sha256 = await put(bytes);
    for (let round = 0; round < 5; round++) {
      await Promise.all([release(sha256), put(bytes), put(bytes)]);
      const { rows } = await sql`SELECT 1 FROM names`.execute(store.db);
      if (rows.length > 0) expect((await get(sha256, bytes.length)).equals(bytes)).toBe(true);
      else await expect(get(sha256, bytes.length)).rejects.toMatchObject(NONE);
    }
  });

  it('that a crash has left over are removed at the next start', async () => {
    const [kept, unnamed] = [randomBytes(1_000), randomBytes(1_000)];
    await put(kept);
    await put(unnamed);
    await store.transaction(forget(hashOf(unnamed)));
    const left = await blobs.begin();
    const rows = [kept, unnamed].map((bytes) => ({ area: 'things', sha256: hashOf(bytes) }));
    await store.db.insertInto('unsettled_blobs').values(rows).execute();
    await blobs.close();
    blobs = await openBlobs();
    await blobs.start();
    while ((await unsettled()) > 0) await new Promise(setImmediate);
    await expect(get(hashOf(unnamed), 1_000)).rejects.toMatchObject(NONE);
    expect((await get(hashOf(kept), 1_000)).equals(kept)).toBe(true);
    await expect(drafts()).rejects.toMatchObject({ code: 'ENOENT' });
    await left.close();
  });

  it('with the wrong size are refused before any byte is read', async () => {
    const sha256 = await put(randomBytes(1_000));
    await expect(blobs.open(sha256, 1_001)).rejects.toMatchObject({
      code: 'store.corrupt',
      message: expect.stringMatching(/things\/[0-9a-f]{64} of the hub has 1000 bytes instead of 1001/) as string,
    });
    await expect(blobs.open(sha256, 1_001, 500)).rejects.toMatchObject({ code: 'store.corrupt' });
    (await blobs.open(sha256, 1_000)).close();
  });

  it.runIf(where === 'a bucket')(
    'those that were stored in the folder before can still be read and removed',
    async () => {
      const bytes = randomBytes(1_000);
      const { address } = server ?? {};
      const local = (
        await BlobStore.open({
          address: undefined,
          folder,
          hubId: 'x',
          store,
          cluster: standaloneCluster('hub'),
          clock: systemClock,
          logger: silentLogger,
        })
      ).area({
        area: 'things',
        isUsed: () => Promise.resolve(false),
      });
      const sha256 = await put(bytes, name(hashOf(bytes)), local);
      expect(address).toBeDefined();
      expect((await get(sha256, 1_000)).equals(bytes)).toBe(true);
      await release(sha256);
      await expect(get(sha256, 1_000)).rejects.toMatchObject(NONE);
      await expect(get(sha256, 1_000, 0, local)).rejects.toMatchObject(NONE);
    },
  );

  it.runIf(where === 'a bucket')('hubs that share a bucket do not share blobs', async () => {
    const bytes = randomBytes(1_000);
    const other = await openBlobs('another');
    const sha256 = await put(bytes);
    await put(bytes, () => Promise.resolve(), other);
    await release(sha256, forget(sha256), other);
    await expect(get(sha256, 1_000, 0, other)).rejects.toMatchObject(NONE);
    expect((await get(sha256, 1_000)).equals(bytes)).toBe(true);
  });
});
