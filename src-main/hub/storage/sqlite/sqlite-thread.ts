/**
 * Runs in a thread of its own: node:sqlite is synchronous, and a commit that
 * the disk has to confirm takes 1 to 60 ms for 10 kB and up to half a second
 * for 10 MB (build machine, ext4), during which nobody would renew the outputs
 * of a motor.
 */
import { statSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { isBusy } from './sqlite-busy.ts';
import type { SqliteReply, SqliteRequest, SqliteThreadOptions } from './sqlite-protocol.ts';

/** How long to wait for another program that holds the database: a command of `armature hub`, a backup. */
const BUSY_TIMEOUT_MS = 5_000;
/** Time between two tries where SQLite itself does not wait. */
const BUSY_RETRY_MS = 5;
/** Prepared statements kept; the program's own are about a hundred. */
const MOST_STATEMENTS = 200;

const { file, isReadOnly } = workerData as SqliteThreadOptions;
const reply = (message: SqliteReply): void => parentPort?.postMessage(message);

class OpenFilesLost extends Error {}

/** SQLITE_IOERR: what was written went nowhere. */
const WRITTEN_NOWHERE = 10;

/**
 * Which files are open. Files that were deleted, moved or replaced go on taking what is written, and lose it when
 * they are closed: SQLite confirms it all the same.
 */
class OpenFiles {
  readonly #database = inodeOf(file);
  /** SQLite makes it when something is first written. */
  #log: string | undefined;

  areInPlace(): boolean {
    const log = inodeOf(`${file}-wal`);
    this.#log ??= log;
    return inodeOf(file) === this.#database && log === this.#log;
  }
}

function inodeOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.dev}/${found.ino}`;
}

function failure(id: number | undefined, thrown: unknown): SqliteReply {
  const { message, errcode } = thrown as { message?: string; errcode?: number };
  return { kind: 'failed', id, message: message ?? String(thrown), resultCode: errcode ?? 0 };
}

function open(): DatabaseSync {
  const database = new DatabaseSync(file);
  database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  if (isReadOnly) {
    database.exec('PRAGMA query_only = ON');
    return database;
  }
  writeAhead(database);
  // What was answered as stored is on the disk, also when the power fails.
  database.exec('PRAGMA synchronous = FULL');
  database.exec('PRAGMA foreign_keys = ON');
  return database;
}

/**
 * Turns the write-ahead log on. The busy timeout does not cover this change: where another program writes a file that has
 * no such log yet, SQLite fails at once, lest both wait for each other for ever (sqlite.org/c3ref/busy_handler.html).
 */
function writeAhead(database: DatabaseSync): void {
  const deadline = performance.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      database.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (thrown) {
      if (!isBusy(thrown) || performance.now() > deadline) throw thrown;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_RETRY_MS);
    }
  }
}

function serve(database: DatabaseSync): void {
  const statements = new Map<string, StatementSync>();
  const changes = database.prepare('SELECT changes() AS changes');
  const files = new OpenFiles();

  const prepared = (sql: string): StatementSync => {
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const statement = database.prepare(sql);
    if (statements.size >= MOST_STATEMENTS) statements.clear();
    statements.set(sql, statement);
    return statement;
  };

  parentPort?.on('message', (request: SqliteRequest | null) => {
    if (request === null) {
      database.close();
      parentPort?.close();
      return;
    }
    const { id, sql, parameters, begins } = request;
    try {
      // Immediate: a transaction that reads first and then writes cannot find that another was quicker.
      if (begins && !database.isTransaction) database.exec('BEGIN IMMEDIATE');
      // A statement that gives no rows gives none here, and is run all the same.
      const rows = prepared(sql).all(...parameters);
      const changed = isReadOnly ? 0 : (changes.get()?.['changes'] as number);
      if (!isReadOnly && !database.isTransaction && !files.areInPlace()) {
        const message = `${file} was deleted, moved or replaced while it was open`;
        reply({ kind: 'failed', id, message, resultCode: WRITTEN_NOWHERE });
        // Nothing that it says from now on is worth anything: the thread ends, which its owner is told of.
        throw new OpenFilesLost(message);
      }
      reply({ kind: 'done', id, rows, changes: changed });
    } catch (thrown) {
      if (thrown instanceof OpenFilesLost) throw thrown;
      reply(failure(id, thrown));
    }
  });
}

try {
  serve(open());
  reply({ kind: 'opened' });
} catch (thrown) {
  reply(failure(undefined, thrown));
}
