import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
} from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ArmatureError, toArmatureError } from '../../../base/errors.ts';
import { migrations } from '../migrations/all.ts';
import { DATABASE_FILE } from '../open-store.ts';
import { lockStore } from '../store-lock.ts';

/**
 * Writes a snapshot of a hub's database, whether the hub runs or not, and checks it. The file appears complete or not
 * at all.
 * @throws {ArmatureError} `file.unwritable`, `store.unavailable`, `store.corrupt`
 */
export function backUp(folder: string, target: string): void {
  const source = path.join(folder, DATABASE_FILE);
  if (!existsSync(source)) {
    throw new ArmatureError('store.unavailable', `There is no hub in ${folder}. Name its folder with --data.`);
  }
  if (existsSync(target)) {
    throw new ArmatureError('file.unwritable', `${target} exists already. Name a new file.`, {
      details: { path: target },
    });
  }
  const partial = `${target}.partial`;
  try {
    rmSync(partial, { force: true });
    closeSync(openSync(partial, 'wx', 0o600));
    const database = new DatabaseSync(source);
    try {
      database.exec('PRAGMA busy_timeout = 5000');
      database.prepare('VACUUM INTO ?').run(partial);
    } finally {
      database.close();
    }
    checkDatabase(partial);
    syncToDisk(partial);
    // Unlike a rename, this does not replace a file that was created in the meantime.
    linkSync(partial, target);
    syncToDisk(path.dirname(target));
  } catch (thrown) {
    if (thrown instanceof ArmatureError) throw thrown;
    throw new ArmatureError(
      'file.unwritable',
      `The backup ${target} was not made: ${toArmatureError(thrown).message}.`,
      {
        details: { path: target },
        cause: thrown,
      },
    );
  } finally {
    rmSync(partial, { force: true });
  }
}

/**
 * Replaces a hub's database with a backup. The previous database is kept beside it.
 * @param now wall-clock time, for the name of the previous database
 * @returns the file of the previous database; undefined if there was none
 * @throws {ArmatureError} `store.in_use` while a hub runs there; `store.corrupt` or `store.newer` for a file that is
 *   not a backup for this program
 */
export async function restore(folder: string, backup: string, now: number): Promise<string | undefined> {
  if (!existsSync(backup)) throw new ArmatureError('file.unreadable', `There is no file ${backup}.`);
  checkDatabase(backup);
  const lock = await lockStore(folder, { onLost: () => undefined });
  try {
    return replace(folder, backup, now);
  } finally {
    await lock.release();
  }
}

function replace(folder: string, backup: string, now: number): string | undefined {
  const place = path.join(folder, DATABASE_FILE);
  const partial = `${place}.restoring`;
  copyFileSync(backup, partial);
  syncToDisk(partial);
  const kept = existsSync(place) ? keepPrevious(place, now) : undefined;
  // Replaces it in one step: if the file were missing for a moment, a start would create a new hub.
  renameSync(partial, place);
  syncToDisk(folder);
  return kept;
}

/** Links the database to a second name, including the content of its write-ahead log. */
function keepPrevious(place: string, now: number): string {
  const time = new Date(now).toISOString().replaceAll(/[:.]/g, '-');
  const kept = `${place}.before-${time}`;
  try {
    const database = new DatabaseSync(place);
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    database.close();
  } catch {
    // It may be broken, which may be the reason to restore: keep it as it is, with its log.
  }
  linkSync(place, kept);
  for (const suffix of ['-wal', '-shm']) {
    if (existsSync(place + suffix)) renameSync(place + suffix, kept + suffix);
  }
  return kept;
}

/** @throws {ArmatureError} `store.corrupt`, `store.newer` */
function checkDatabase(file: string): void {
  const refuse = (why: string, cause?: unknown): never => {
    throw new ArmatureError('store.corrupt', `${file} is no good backup of a hub: ${why}.`, { cause });
  };
  let steps: readonly string[] = [];
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { readOnly: true });
    const verdict = database.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check'];
    if (verdict !== 'ok') refuse(String(verdict));
    if (database.prepare('PRAGMA foreign_key_check').get() !== undefined)
      refuse('rows in it refer to rows that are missing');
    steps = database
      .prepare('SELECT name FROM kysely_migration')
      .all()
      .map(({ name }) => String(name));
  } catch (thrown) {
    if (thrown instanceof ArmatureError) throw thrown;
    refuse(toArmatureError(thrown).message, thrown);
  } finally {
    database?.close();
  }
  const unknown = steps.filter((name) => !Object.hasOwn(migrations, name));
  if (unknown.length === 0) return;
  throw new ArmatureError(
    'store.newer',
    `${file} is of a newer version of this program (${unknown.join(', ')}). Restore it with that version.`,
    { details: { unknown } },
  );
}

/** Syncs a file, or the entries of a folder, to the disk. */
function syncToDisk(place: string): void {
  const handle = openSync(place, constants.O_RDONLY);
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
