import { ArmatureError, type ErrorCode } from '../../base/errors.ts';

/** The kinds of database errors, common to SQLite and PostgreSQL. */
export type StoreFailureKind =
  /** Another row has this value already. */
  | 'unique'
  /** A referenced row does not exist, or a row is still referenced. */
  | 'foreign-key'
  /** Another transaction was first; a retry may succeed. */
  | 'conflict'
  | 'full'
  | 'unavailable'
  | 'corrupt'
  | 'other';

const codes: Readonly<Record<StoreFailureKind, ErrorCode>> = {
  unique: 'store.constraint',
  'foreign-key': 'store.constraint',
  conflict: 'store.conflict',
  full: 'store.full',
  unavailable: 'store.unavailable',
  corrupt: 'store.corrupt',
  other: 'internal.bug',
};

/** What it means and what to do; the message of the database follows. */
const sentences: Readonly<Record<StoreFailureKind, string>> = {
  unique: 'The hub tried to store something that exists already.',
  'foreign-key': 'The hub tried to store a row that refers to a missing one, or to delete a row that others refer to.',
  conflict: 'Others changed the same at the same time and nothing was stored: try again.',
  full: 'The disk of the hub is full and nothing was stored: free some space, then try again.',
  unavailable: 'The data of the hub cannot be reached and nothing was stored: try again later.',
  corrupt: 'The data of the hub is damaged: restore a backup ("armature hub restore").',
  other: 'The hub sent its database a statement that it refused.',
};

/** An error of a statement or connection. The database's message contains no values of rows. */
export class StoreFailure extends ArmatureError {
  readonly kind: StoreFailureKind;
  /** The message of the database. */
  readonly reason: string;

  constructor(kind: StoreFailureKind, reason: string, cause?: unknown) {
    super(codes[kind], `${sentences[kind]} (${reason})`, { details: { kind }, cause });
    this.kind = kind;
    this.reason = reason;
  }
}

/** Whether a thrown value is a database error of this kind. */
export function isStoreFailure(thrown: unknown, kind: StoreFailureKind): boolean {
  return thrown instanceof StoreFailure && thrown.kind === kind;
}

/** Primary and extended result codes of SQLite (sqlite.org/rescode.html). */
const sqliteKinds: ReadonlyMap<number, StoreFailureKind> = new Map([
  [2067, 'unique'], // SQLITE_CONSTRAINT_UNIQUE
  [1555, 'unique'], // SQLITE_CONSTRAINT_PRIMARYKEY
  [787, 'foreign-key'], // SQLITE_CONSTRAINT_FOREIGNKEY
  [1811, 'foreign-key'], // SQLITE_CONSTRAINT_TRIGGER, which RESTRICT reports in some versions
  [5, 'conflict'], // SQLITE_BUSY
  [6, 'conflict'], // SQLITE_LOCKED
  [8, 'unavailable'], // SQLITE_READONLY
  [10, 'unavailable'], // SQLITE_IOERR
  [11, 'corrupt'], // SQLITE_CORRUPT
  [13, 'full'], // SQLITE_FULL
  [14, 'unavailable'], // SQLITE_CANTOPEN
  [26, 'corrupt'], // SQLITE_NOTADB
]);

/** @param resultCode extended result code; its low byte is the primary one */
export function sqliteFailure(message: string, resultCode: number, cause?: unknown): StoreFailure {
  const kind = sqliteKinds.get(resultCode) ?? sqliteKinds.get(resultCode & 0xff) ?? 'other';
  return new StoreFailure(kind, `SQLite: ${message}`, cause);
}

/** SQLSTATE codes and classes (PostgreSQL 15, appendix A). */
const postgresKinds: ReadonlyMap<string, StoreFailureKind> = new Map([
  ['23505', 'unique'],
  ['23503', 'foreign-key'],
  ['40001', 'conflict'], // serialization_failure
  ['40P01', 'conflict'], // deadlock_detected
  ['55P03', 'conflict'], // lock_not_available
  ['53100', 'full'], // disk_full
  ['53', 'unavailable'], // other insufficient resources
  ['08', 'unavailable'], // connection exceptions
  ['28', 'unavailable'], // wrong name or password
  ['3D000', 'unavailable'], // no such database
  ['57', 'unavailable'], // stopping, starting, connection ended by its administrator
  ['58', 'unavailable'], // its own system errors
  ['XX001', 'corrupt'],
  ['XX002', 'corrupt'],
]);

/** Maps an error of `pg`; a StoreFailure is returned unchanged. */
export function postgresFailure(thrown: unknown): StoreFailure {
  if (thrown instanceof StoreFailure) return thrown;
  const { code = '', message = String(thrown) } = thrown as { code?: string; message?: string };
  const known = postgresKinds.get(code) ?? postgresKinds.get(code.slice(0, 2));
  // Without an SQLSTATE the error comes from the connection: a socket, a host name, a timeout.
  const kind = known ?? (/^[0-9A-Z]{5}$/.test(code) ? 'other' : 'unavailable');
  return new StoreFailure(kind, `PostgreSQL: ${message}`, thrown);
}
