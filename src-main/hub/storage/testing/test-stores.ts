import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { silentLogger } from '../../../base/logger.ts';
import { openStore } from '../open-store.ts';
import type { Store } from '../store.ts';

/** A place for one test store. */
export interface TestPlace {
  readonly address: string;
  remove(): Promise<void>;
}

/** A kind of store to run a suite on. */
export interface TestStoreKind {
  readonly name: string;
  makePlace(): Promise<TestPlace>;
}

/** Set by `npm run test:postgres`: the address of a server in which databases may be created. */
const postgresAddress = process.env['ARMATURE_TEST_POSTGRES'];

const sqlite: TestStoreKind = {
  name: 'SQLite',
  makePlace: async () => {
    const address = await mkdtemp(path.join(os.tmpdir(), 'armature-store-'));
    return { address, remove: () => rm(address, { recursive: true, force: true }) };
  },
};

function postgres(server: string): TestStoreKind {
  const administer = async (statement: string): Promise<void> => {
    const client = new pg.Client({ connectionString: server });
    await client.connect();
    await client.query(statement);
    await client.end();
  };
  return {
    name: 'PostgreSQL',
    makePlace: async () => {
      const database = `test_${randomUUID().replaceAll('-', '')}`;
      await administer(`CREATE DATABASE ${database}`);
      return {
        address: server.replace(/\/postgres\?/, `/${database}?`),
        remove: () => administer(`DROP DATABASE ${database} WITH (FORCE)`),
      };
    },
  };
}

/** For `describe.each`: SQLite, and PostgreSQL if a server was started for the tests. */
export const testStores: readonly TestStoreKind[] =
  postgresAddress === undefined ? [sqlite] : [sqlite, postgres(postgresAddress)];

/** Opens a store in a new place. */
export async function openTestStore(
  kind: TestStoreKind,
  onBroken?: (reason: string) => void,
): Promise<{ store: Store; place: TestPlace; end(): Promise<void> }> {
  const place = await kind.makePlace();
  const store = await openStore(place.address, silentLogger, onBroken === undefined ? {} : { onBroken });
  return {
    store,
    place,
    end: async () => {
      await store.close();
      await place.remove();
    },
  };
}
