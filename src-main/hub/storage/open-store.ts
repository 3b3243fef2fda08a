import { closeSync, fsyncSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { Kysely, type Dialect } from 'kysely';
import { ArmatureError, toArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { migrations } from './migrations/all.ts';
import { migrate } from './migrate.ts';
import { makePrivateFile } from './private-file.ts';
import { fileTrace } from './sqlite/file-trace.ts';
import { Store, type StoreFacts } from './store.ts';
import { StoreFailure } from './store-failure.ts';
import type { Database } from './tables.ts';

const ignore = (_reason: string): void => undefined;

export interface OpenOptions {
  /** Called when nothing can be read or stored until the program is restarted. */
  readonly onBroken?: (reason: string) => void;
  /** Runs before the schema is changed, if it has to be; if it throws, the store is not changed. */
  readonly beforeSteps?: () => Promise<void>;
}

/** File name of the database in a hub's folder. */
export const DATABASE_FILE = 'hub.sqlite';

/** Whether the text is the address of a PostgreSQL database rather than a folder. */
export function isPostgresAddress(text: string): boolean {
  return /^postgres(ql)?:\/\//.test(text);
}

/** An address for display, without its password. */
export function placeOf(address: string): string {
  return address.replace(/^(\w+:\/\/[^/@:]*):[^@/]*@/, '$1:***@').replace(/([?&]password=)[^&]*/, '$1***');
}

/**
 * Opens the store of a hub and migrates it to this program's schema. Only this module knows which driver a store has.
 * @param address `postgres://...`, or a folder, which is created if it does not exist
 * @throws {ArmatureError} `store.newer`, `store.corrupt`, `store.unavailable`, `file.unwritable`
 */
export async function openStore(
  address: string,
  logger: Logger,
  { onBroken = ignore, beforeSteps }: OpenOptions = {},
): Promise<Store> {
  const facts = { kind: isPostgresAddress(address) ? 'postgres' : 'sqlite', place: placeOf(address) } as const;
  const db = await openDatabase(address, logger, onBroken);
  try {
    const steps = await migrate(db, migrations, facts.place, beforeSteps);
    if (steps.length > 0) logger.info(`The store ${facts.place} was brought up to date: ${steps.join(', ')}.`);
  } catch (thrown) {
    await db.destroy().catch(() => undefined); // the first error is the one to report
    throw explainFailure(thrown, facts);
  }
  const trace = facts.kind === 'sqlite' ? () => fileTrace(path.join(address, DATABASE_FILE)) : () => undefined;
  return new Store(facts, db, trace);
}

/** Opens a database without migrating it. */
export async function openDatabase(address: string, logger: Logger, onBroken = ignore): Promise<Database> {
  const isPostgres = isPostgresAddress(address);
  return new Kysely({ dialect: isPostgres ? await postgres(address, logger) : await sqlite(address, onBroken) });
}

async function sqlite(folder: string, onBroken: (reason: string) => void): Promise<Dialect> {
  const { SqliteDialect } = await import('./sqlite/sqlite-dialect.ts');
  const { SqliteConnection } = await import('./sqlite/sqlite-connection.ts');
  const { SqliteReads } = await import('./sqlite/sqlite-reads.ts');
  const file = path.join(folder, DATABASE_FILE);
  return new SqliteDialect(async () => {
    makePrivate(folder, file);
    const writer = await SqliteConnection.open({ file, isReadOnly: false }, onBroken);
    try {
      // The database has its first page now.
      rmSync(firstStartMarker(file), { force: true });
    } catch (thrown) {
      await writer.close();
      throw thrown;
    }
    return {
      writer,
      reader: new SqliteReads(writer, () => SqliteConnection.open({ file, isReadOnly: true }, onBroken)),
    };
  });
}

async function postgres(address: string, logger: Logger): Promise<Dialect> {
  const { HubPostgresDialect } = await import('./postgres/postgres-dialect.ts');
  return new HubPostgresDialect(address, (error) =>
    logger.warn(`A connection to the store broke; the next query makes another: ${error.message}`),
  );
}

/** Only the user who runs the hub may read the database and its write-ahead log. */
function makePrivate(folder: string, file: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    requireContent(file);
    // SQLite creates its other files with the mode of the database file.
    makePrivateFile(file);
  } catch (cause) {
    if (cause instanceof ArmatureError) throw cause;
    throw new ArmatureError(
      'file.unwritable',
      `The hub cannot keep its data in ${folder} (${toArmatureError(cause).message}). Name a folder that can be written with --data.`,
      { details: { path: folder }, cause },
    );
  }
}

/**
 * A marker file that exists while a database is created: it tells an interrupted first start from an emptied database.
 */
const firstStartMarker = (file: string): string => `${file}-making`;

/**
 * Refuses a database file that was emptied. SQLite would create a new database in it, and discard what its write-ahead
 * log still has.
 */
function requireContent(file: string): void {
  const mark = firstStartMarker(file);
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) {
    const made = openSync(mark, 'w', 0o600);
    fsyncSync(made);
    closeSync(made);
  } else if (found.size === 0 && statSync(mark, { throwIfNoEntry: false }) === undefined) {
    const folder = path.dirname(file);
    throw new ArmatureError(
      'store.corrupt',
      `${file} is empty (0 bytes): something emptied it. Restore a backup with "armature hub restore FILE --data ${folder}", or delete it to begin with an empty hub.`,
      { details: { path: file } },
    );
  }
}

/** Turns a failure to open into an error that says what to do. */
function explainFailure(thrown: unknown, { kind, place }: StoreFacts): unknown {
  if (!(thrown instanceof StoreFailure)) return thrown;
  if (thrown.kind === 'corrupt') {
    return new ArmatureError(
      'store.corrupt',
      `${place} holds no readable hub database: ${thrown.reason}. Restore a backup with "armature hub restore FILE --data DIR".`,
      { cause: thrown },
    );
  }
  if (thrown.kind === 'unavailable') {
    const advice =
      kind === 'postgres' ? 'Check --database and that the server runs.' : 'Check the folder and its disk.';
    return new ArmatureError('store.unavailable', `The store ${place} cannot be opened: ${thrown.reason}. ${advice}`, {
      cause: thrown,
    });
  }
  return thrown;
}
