/**
 * Runs in its own thread: node:sqlite is synchronous, and a commit that waits for the disk takes 1 to 60 ms for 10 kB
 * and up to half a second for 10 MB (build machine, ext4). The main thread must not block that long, because it renews
 * the outputs of motors.
 */
import { statSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
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

class OpenFilesLost extends Error {
  constructor() {
    super(`${file} was deleted, moved or replaced while it was open`);
  }
}

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

function openToRead(): DatabaseSync {
  // A file that is gone by now is not created again.
  const database = new DatabaseSync(new URL('?mode=rw', pathToFileURL(file)));
  database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  database.exec('PRAGMA query_only = ON');
  return database;
}

function openToWrite(): DatabaseSync {
  const database = new DatabaseSync(file);
  database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
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

/** A connection with its compiled statements. */
class Statements {
  readonly database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.database = database;
  }

  /** `all` also runs statements that return no rows. */
  all({ sql, parameters }: SqliteRequest): readonly unknown[] {
    return this.#prepared(sql).all(...parameters);
  }

  #prepared(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.database.prepare(sql);
    if (this.#statements.size >= MAX_STATEMENTS) this.#statements.clear();
    this.#statements.set(sql, statement);
    return statement;
  }
}

/** The connection for writes, and for reads within transactions. */
class Writes {
  readonly #statements = new Statements(openToWrite());
  readonly #changes = this.#statements.database.prepare('SELECT changes() AS changes');
  readonly #files = new OpenFiles();

  run(request: SqliteRequest): { rows: readonly unknown[]; changes: number } {
    const { database } = this.#statements;
    // Immediate: otherwise a transaction that reads first could fail at its first write because another one was
    // faster.
    if (request.begins && !database.isTransaction) database.exec('BEGIN IMMEDIATE');
    const rows = this.#statements.all(request);
    const changes = this.#changes.get()?.['changes'] as number;
    if (!database.isTransaction && !this.#files.areInPlace()) throw new OpenFilesLost();
    return { rows, changes };
  }

  close(): void {
    this.#statements.database.close();
  }
}

function serve(): void {
  const writes = isReadOnly ? undefined : new Writes();
  const reads = new Statements(openToRead());
  parentPort?.on('message', (request: SqliteRequest | null) => {
    if (request === null) {
      reads.database.close();
      // Last, so that it removes the write-ahead log.
      writes?.close();
      parentPort?.close();
      return;
    }
    const { id, sentAt } = request;
    try {
      const result =
        writes === undefined || request.isRead ? { rows: reads.all(request), changes: 0 } : writes.run(request);
      reply({ kind: 'done', id, ...result, tookMs: Date.now() - sentAt });
    } catch (thrown) {
      if (thrown instanceof OpenFilesLost) {
        reply({ kind: 'failed', id, message: thrown.message, resultCode: SQLITE_IOERR });
        // Nothing can be stored from now on: end the thread, which its owner notices.
        throw thrown;
      }
      reply(failure(id, thrown));
    }
  });
}

try {
  serve();
  reply({ kind: 'opened' });
} catch (thrown) {
  reply(failure(undefined, thrown));
}
