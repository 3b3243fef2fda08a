import {
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type CompiledQuery,
  type DatabaseConnection,
  type DatabaseIntrospector,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
} from 'kysely';
import { Mutex } from '../../../base/async/mutex.ts';
import { ArmatureError } from '../../../base/errors.ts';
import type { SqliteConnection, SqliteResult } from './sqlite-connection.ts';
import type { SqliteReads } from './sqlite-reads.ts';

/** The two connections to one database file. */
export interface SqliteConnections {
  readonly writer: SqliteConnection;
  readonly reader: SqliteReads;
}

/**
 * Kysely on node:sqlite. One connection does all writes, one transaction at a time. SELECTs outside of transactions use
 * another connection and see the last commit.
 */
export class SqliteDialect implements Dialect {
  readonly #open: () => Promise<SqliteConnections>;

  /** @param open called once, before the first query */
  constructor(open: () => Promise<SqliteConnections>) {
    this.#open = open;
  }

  createDriver(): Driver {
    return new SqliteDriver(this.#open);
  }

  createQueryCompiler(): SqliteQueryCompiler {
    return new SqliteQueryCompiler();
  }

  createAdapter(): SqliteAdapter {
    return new TransactionalSqliteAdapter();
  }

  createIntrospector(db: Kysely<unknown>): DatabaseIntrospector {
    return new SqliteIntrospector(db);
  }
}

class TransactionalSqliteAdapter extends SqliteAdapter {
  /** The driver does its own locking. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }

  /** A migration that fails half-way is rolled back. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class SqliteDriver implements Driver {
  readonly #open: () => Promise<SqliteConnections>;
  readonly #writes = new Mutex();
  #connections: SqliteConnections | undefined;

  constructor(open: () => Promise<SqliteConnections>) {
    this.#open = open;
  }

  async init(): Promise<void> {
    this.#connections = await this.#open();
  }

  acquireConnection(): Promise<DatabaseConnection> {
    if (this.#connections === undefined)
      throw new ArmatureError('internal.bug', 'The store is used before it is open.');
    return Promise.resolve(new QueryConnection(this.#connections, this.#writes));
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as QueryConnection).begin();
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as QueryConnection).commit();
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as QueryConnection).rollBack();
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {
    const connections = this.#connections;
    this.#connections = undefined;
    await connections?.reader.close();
    // Last, so that it removes the write-ahead log.
    await connections?.writer.close();
  }
}

/** The connection that Kysely uses for one query or one transaction. */
class QueryConnection implements DatabaseConnection {
  readonly #connections: SqliteConnections;
  readonly #writes: Mutex;
  /** Releases the write lock of the transaction; undefined outside of one. */
  #leave: (() => void) | undefined;
  /** Whether the database has begun the transaction: each statement asks for it until one succeeds. */
  #begun: 'no' | 'asked' | 'yes' = 'no';

  constructor(connections: SqliteConnections, writes: Mutex) {
    this.#connections = connections;
    this.#writes = writes;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { writer, reader } = this.#connections;
    const { sql, parameters } = query;
    if (this.#leave !== undefined && this.#begun !== 'yes') {
      this.#begun = 'asked';
      const result = await writer.run(sql, parameters, true);
      this.#begun = 'yes';
      return answerOf(result);
    }
    if (this.#leave !== undefined) return answerOf(await writer.run(sql, parameters));
    if (query.query.kind === 'SelectQueryNode') return answerOf(await reader.read(sql, parameters));
    return answerOf(await this.#writes.run(() => writer.run(sql, parameters)));
  }

  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new ArmatureError('internal.bug', 'The store gives no streams: read page by page.');
  }

  async begin(): Promise<void> {
    this.#leave = await this.#writes.lock();
  }

  async commit(): Promise<void> {
    if (this.#begun !== 'no') await this.#connections.writer.run('COMMIT', []);
    this.#end();
  }

  async rollBack(): Promise<void> {
    try {
      if (this.#begun !== 'no') await this.#connections.writer.run('ROLLBACK', []);
    } catch {
      // SQLite has already rolled back if the disk was full or broken.
    } finally {
      this.#end();
    }
  }

  #end(): void {
    this.#leave?.();
    this.#leave = undefined;
    this.#begun = 'no';
  }
}

function answerOf<R>({ rows, changes }: SqliteResult): QueryResult<R> {
  return { rows: rows as R[], numAffectedRows: BigInt(changes) };
}
