/**
 * Runs in its own thread: node:sqlite is synchronous, and a commit that waits for the disk takes 1 to 60 ms for 10 kB
 * and up to half a second for 10 MB (build machine, ext4). The main thread must not block that long, because it renews
 * the outputs of motors.
 */
import { statSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { isBusy } from './sqlite-busy.ts';
import type { SqliteReply, SqliteRequest, SqliteThreadOptions } from './sqlite-protocol.ts';

/** How long to wait for another program that holds the database, such as a command of `armature hub` or a backup. */
const BUSY_TIMEOUT_MS = 5_000;
/** Time between two attempts where SQLite itself does not wait. */
const BUSY_RETRY_MS = 5;
/** Maximum number of cached statements; the program has about a hundred. */
const MAX_STATEMENTS = 200;

const { file, isReadOnly } = workerData as SqliteThreadOptions;
const reply = (message: SqliteReply): void => parentPort?.postMessage(message);

class OpenFilesLost extends Error {}

/** Reported for writes to files that are no longer in place. */
const SQLITE_IOERR = 10;

/**
 * The identity of the open files. Files that were deleted, moved or replaced still accept writes, which are lost when
 * they are closed, although SQLite confirms them.
 */
class OpenFiles {
  readonly #database = inodeOf(file);
  /** SQLite creates it with the first write. */
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
  enableWriteAheadLog(database);
  // A confirmed commit is on the disk, even if the power fails.
  database.exec('PRAGMA synchronous = FULL');
  database.exec('PRAGMA foreign_keys = ON');
  return database;
}

/**
 * Enables the write-ahead log. The busy timeout does not cover this change: if another program is writing a file that
 * has no such log yet, SQLite fails at once to avoid a deadlock (sqlite.org/c3ref/busy_handler.html).
 */
function enableWriteAheadLog(database: DatabaseSync): void {
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
    if (statements.size >= MAX_STATEMENTS) statements.clear();
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
      // Immediate: otherwise a transaction that reads first could fail at its first write because another one was
      // faster.
      if (begins && !database.isTransaction) database.exec('BEGIN IMMEDIATE');
      // `all` also runs statements that return no rows.
      const rows = prepared(sql).all(...parameters);
      const changed = isReadOnly ? 0 : (changes.get()?.['changes'] as number);
      if (!isReadOnly && !database.isTransaction && !files.areInPlace()) {
        const message = `${file} was deleted, moved or replaced while it was open`;
        reply({ kind: 'failed', id, message, resultCode: SQLITE_IOERR });
        // Nothing can be stored from now on: end the thread, which its owner notices.
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
