import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ArmatureError } from '../../base/errors.ts';
import { isPostgresAddress, placeOf } from './open-store.ts';
import { makePrivateFile } from './private-file.ts';
import { isBusy } from './sqlite/sqlite-busy.ts';
import { postgresFailure } from './store-failure.ts';

const LOCK_FILE = 'hub.lock';
/** Arbitrary numbers that no other advisory lock in the database uses. */
const ADVISORY_LOCK = 0x41_72_6d_48;
const OPENING_LOCK = 0x41_72_6d_4f;

/** The lock that allows a hub to serve a store. It is released when the program is killed. */
export interface StoreLock {
  /** To be called when the schema and the data of a first start are complete: the next hub may then open the store. */
  opened(): Promise<void>;
  /**
   * To be called before the schema is changed: hubs of an earlier version must not run on it.
   * @throws {ArmatureError} `store.in_use`
   */
  requireAlone(): Promise<void>;
  release(): Promise<void>;
}

export interface LockOptions {
  /** Called when the lock was lost: another hub may start at any time. */
  readonly onLost: (reason: string) => void;
  /** Whether several hubs serve the store; else this is the only one. PostgreSQL only. */
  readonly isShared?: boolean;
}

/**
 * Takes the lock of a store.
 * @throws {ArmatureError} `store.in_use` if a restore or a hub that does not share the store holds it, or, unless
 *   `isShared`, any hub
 */
export async function lockStore(address: string, options: LockOptions): Promise<StoreLock> {
  return isPostgresAddress(address) ? lockPostgres(address, options) : lockFolder(address);
}

/** Node has no file locks, but SQLite has them on every system. The file is empty; only the lock on it counts. */
function lockFolder(folder: string): StoreLock {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, LOCK_FILE);
  // Whoever can read the file could hold a shared lock on it, and so block the exclusive lock of a hub.
  makePrivateFile(file);
  const lock = new DatabaseSync(file);
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (thrown) {
    lock.close();
    if (isBusy(thrown)) throw inUse(folder);
    throw thrown;
  }
  return {
    opened: () => Promise.resolve(),
    requireAlone: () => Promise.resolve(),
    release: () => {
      lock.close();
      return Promise.resolve();
    },
  };
}

async function lockPostgres(address: string, { onLost, isShared = false }: LockOptions): Promise<StoreLock> {
  const { default: pg } = await import('pg');
  const { clientOptions } = await import('./postgres/postgres-dialect.ts');
  const client = new pg.Client(clientOptions(address));
  let isReleased = false;
  client.on('error', (error) => {
    if (!isReleased) onLost(error.message);
    isReleased = true;
  });
  try {
    await client.connect();
    const lock = isShared ? 'pg_try_advisory_lock_shared' : 'pg_try_advisory_lock';
    const { rows } = await client.query<{ isOurs: boolean }>(`SELECT ${lock}($1) AS "isOurs"`, [ADVISORY_LOCK]);
    if (rows[0]?.isOurs !== true) throw inUse(placeOf(address), isShared);
    // Two hubs that start at once must not both create the schema or the first data.
    await client.query(`SET lock_timeout = '60s'`);
    await client.query('SELECT pg_advisory_lock($1)', [OPENING_LOCK]);
  } catch (thrown) {
    isReleased = true;
    await client.end();
    throw thrown instanceof ArmatureError ? thrown : postgresFailure(thrown);
  }
  let isAlone = !isShared;
  return {
    opened: async () => {
      if (isShared && isAlone) await client.query('SELECT pg_advisory_unlock($1)', [ADVISORY_LOCK]);
      await client.query('SELECT pg_advisory_unlock($1)', [OPENING_LOCK]);
    },
    requireAlone: async () => {
      if (isAlone) return;
      const { rows } = await client.query<{ isOurs: boolean }>('SELECT pg_try_advisory_lock($1) AS "isOurs"', [
        ADVISORY_LOCK,
      ]);
      isAlone = rows[0]?.isOurs === true;
      if (!isAlone) {
        const place = placeOf(address);
        throw new ArmatureError(
          'store.in_use',
          `Hubs of an earlier version serve ${place}, and this one has to change its schema: stop them first.`,
          { details: { place } },
        );
      }
    },
    release: async () => {
      isReleased = true;
      await client.end();
    },
  };
}

function inUse(place: string, isShared = false): ArmatureError {
  const message = isShared
    ? `A hub that was started without --cluster runs on ${place}. Stop it, and start it again with --cluster.`
    : `A hub is running on ${place}, or a restore is. Only one at a time may: stop it first, or name another place. Several hubs serve one PostgreSQL database where each is started with --cluster.`;
  return new ArmatureError('store.in_use', message, { details: { place } });
}
