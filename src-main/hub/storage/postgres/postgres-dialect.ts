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
/** Transactions under way at once; the rest wait for their turn. */
const MAX_CONNECTIONS = 10;
const CONNECT_LIMIT_MS = 10_000;

/** Numbers of 64 bits as numbers: times and counts, all far below 2^53. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    Number(oid) === INT8 && format !== 'binary' ? Number : (pg.types.getTypeParser(oid, format) as unknown),
};

/** How to reach a server, from an address. */
export function clientOptions(address: string): pg.ClientConfig {
  return {
    connectionString: address,
    types,
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
    keepAlive: true,
    application_name: 'armature hub',
  };
}

/** Kysely on a pool of PostgreSQL connections, with failures in the words of the store. */
export class HubPostgresDialect extends PostgresDialect {
  /** @param onIdleError told of connections that broke while nobody used them */
  constructor(address: string, onIdleError: (error: Error) => void) {
    const pool = new pg.Pool({ ...clientOptions(address), max: MAX_CONNECTIONS });
    // Without a listener the loss of an idle connection would end the program.
    pool.on('error', onIdleError);
    super({ pool });
  }

  override createDriver(): Driver {
    return new NamingDriver(super.createDriver());
  }
}

/** Names what fails below it. */
class NamingDriver implements Driver {
  readonly #inner: Driver;

  constructor(inner: Driver) {
    this.#inner = inner;
  }

  init(): Promise<void> {
    return named(this.#inner.init());
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    return new NamingConnection(await named(this.#inner.acquireConnection()));
  }

  beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    return named(this.#inner.beginTransaction(innerOf(connection), settings));
  }

  commitTransaction(connection: DatabaseConnection): Promise<void> {
    return named(this.#inner.commitTransaction(innerOf(connection)));
  }

  rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    return named(this.#inner.rollbackTransaction(innerOf(connection)));
  }

  releaseConnection(connection: DatabaseConnection): Promise<void> {
    return this.#inner.releaseConnection(innerOf(connection));
  }

  destroy(): Promise<void> {
    return this.#inner.destroy();
  }
}

class NamingConnection implements DatabaseConnection {
  readonly inner: DatabaseConnection;

  constructor(inner: DatabaseConnection) {
    this.inner = inner;
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return named(this.inner.executeQuery<R>(storable(query)));
  }

  streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    return this.inner.streamQuery<R>(query, chunkSize);
  }
}

/**
 * The query with texts that PostgreSQL can hold: it has no zero character, which a log line or a note may well have. It
 * becomes the character that stands for what cannot be shown. Configurations have none: JSON forbids it.
 */
function storable(query: CompiledQuery): CompiledQuery {
  const hasZero = (value: unknown): value is string => typeof value === 'string' && value.includes('\0');
  if (!query.parameters.some(hasZero)) return query;
  const parameters = query.parameters.map((value) => (hasZero(value) ? value.replaceAll('\0', '\ufffd') : value));
  return { ...query, parameters };
}

function innerOf(connection: DatabaseConnection): DatabaseConnection {
  return (connection as NamingConnection).inner;
}

async function named<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    throw postgresFailure(thrown);
  }
}
