import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ArmatureError } from '../../base/errors.ts';
import { isPostgresAddress, placeOf } from './open-store.ts';
import { makePrivateFile } from './private-file.ts';
import { isBusy } from './sqlite/sqlite-busy.ts';
import { postgresFailure } from './store-failure.ts';

const LOCK_FILE = 'hub.lock';
/** Any number will do that nobody else takes in the same database. */
const ADVISORY_LOCK = 0x41_72_6d_48;

/** The right to be the one hub of a store. The operating system takes it back from a program that is killed. */
export interface StoreLock {
  release(): Promise<void>;
}

/**
 * Takes the lock of a store.
 * @param onLost the lock is gone while it was held: another hub may begin at any time
 * @throws {ArmatureError} `store.in_use` where another hub, or a restore, has it
 */
export async function lockStore(address: string, onLost: (reason: string) => void): Promise<StoreLock> {
  return isPostgresAddress(address) ? lockPostgres(address, onLost) : lockFolder(address);
}

/**
 * Node has no file locks; SQLite has, on every system. The file holds nothing,
 * the lock on it is all that counts.
 */
function lockFolder(folder: string): StoreLock {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, LOCK_FILE);
  // Whoever may read a file may hold a shared lock on it, and keep everybody else from the one that a hub needs.
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
    release: () => {
      lock.close();
      return Promise.resolve();
    },
  };
}

async function lockPostgres(address: string, onLost: (reason: string) => void): Promise<StoreLock> {
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
    const { rows } = await client.query<{ isOurs: boolean }>(`SELECT pg_try_advisory_lock($1) AS "isOurs"`, [
      ADVISORY_LOCK,
    ]);
    if (rows[0]?.isOurs !== true) throw inUse(placeOf(address));
  } catch (thrown) {
    isReleased = true;
    await client.end();
    throw thrown instanceof ArmatureError ? thrown : postgresFailure(thrown);
  }
  return {
    release: async () => {
      isReleased = true;
      await client.end();
    },
  };
}

function inUse(place: string): ArmatureError {
  return new ArmatureError(
    'store.in_use',
    `A hub is running on ${place}, or a restore is. Only one at a time may: stop it first, or name another place.`,
    { details: { place } },
  );
}
