import {
  PostgresDialect,
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
  type TransactionSettings,
} from 'kysely';
import pg from 'pg';
import { postgresFailure } from '../store-failure.ts';

const INT8: number = pg.types.builtins.INT8;
/** Maximum number of concurrent connections; further queries and transactions wait. */
const MAX_CONNECTIONS = 10;
const CONNECT_TIMEOUT_MS = 10_000;

/** Parses 64-bit integers as numbers: they are times and counts, all far below 2^53. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    Number(oid) === INT8 && format !== 'binary' ? Number : (pg.types.getTypeParser(oid, format) as unknown),
};

/** Connection options for an address. */
export function clientOptions(address: string): pg.ClientConfig {
  return {
    connectionString: address,
    types,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'armature hub',
  };
}

/** Kysely on a pool of PostgreSQL connections; errors are mapped to `StoreFailure`. */
export class HubPostgresDialect extends PostgresDialect {
  /** @param onIdleError called when an idle connection breaks */
  constructor(address: string, onIdleError: (error: Error) => void) {
    const pool = new pg.Pool({ ...clientOptions(address), max: MAX_CONNECTIONS });
    // Without a listener, losing an idle connection would end the program.
    pool.on('error', onIdleError);
    super({ pool });
  }

  override createDriver(): Driver {
    return new ErrorMappingDriver(super.createDriver());
  }
}

/** Maps the errors of another driver to `StoreFailure`. */
class ErrorMappingDriver implements Driver {
  readonly #inner: Driver;

  constructor(inner: Driver) {
    this.#inner = inner;
  }

  init(): Promise<void> {
    return withMappedErrors(this.#inner.init());
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    return new ErrorMappingConnection(await withMappedErrors(this.#inner.acquireConnection()));
  }

  beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    return withMappedErrors(this.#inner.beginTransaction(innerOf(connection), settings));
  }

  commitTransaction(connection: DatabaseConnection): Promise<void> {
    return withMappedErrors(this.#inner.commitTransaction(innerOf(connection)));
  }

  rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    return withMappedErrors(this.#inner.rollbackTransaction(innerOf(connection)));
  }

  releaseConnection(connection: DatabaseConnection): Promise<void> {
    return this.#inner.releaseConnection(innerOf(connection));
  }

  destroy(): Promise<void> {
    return this.#inner.destroy();
  }
}

class ErrorMappingConnection implements DatabaseConnection {
  readonly inner: DatabaseConnection;

  constructor(inner: DatabaseConnection) {
    this.inner = inner;
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return withMappedErrors(this.inner.executeQuery<R>(withoutZeroCharacters(query)));
  }

  streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    return this.inner.streamQuery<R>(query, chunkSize);
  }
}

/**
 * Replaces zero characters in texts, which PostgreSQL cannot store, by the replacement character. Log lines and notes
 * may contain them; configurations cannot, because JSON forbids them.
 */
function withoutZeroCharacters(query: CompiledQuery): CompiledQuery {
  const hasZero = (value: unknown): value is string => typeof value === 'string' && value.includes('\0');
  if (!query.parameters.some(hasZero)) return query;
  const parameters = query.parameters.map((value) => (hasZero(value) ? value.replaceAll('\0', '\ufffd') : value));
  return { ...query, parameters };
}

function innerOf(connection: DatabaseConnection): DatabaseConnection {
  return (connection as ErrorMappingConnection).inner;
}

async function withMappedErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    throw postgresFailure(thrown);
  }
}
