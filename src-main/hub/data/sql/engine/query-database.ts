import type { DuckDBConnection, DuckDBResult } from '@duckdb/node-api';
import type { QueryAnswer, QueryCapture, ReadingsBatch, RowEncoding, WantedReadings } from '../sql-protocol.ts';
import type { Engine } from './engine.ts';
import { failureOf, QueryError } from './query-failure.ts';
import { columnStructure, merged, withPath, type Structure } from './structure.ts';
import { treeText, type TreeNode } from './syntax-tree.ts';
import { plainValues, rowEncoder } from './values.ts';
import { dataPaths, mentionsOf, type Mention } from './wanted.ts';

/** A SELECT that was parsed, but not run. */
export interface ParsedQuery {
  readonly sql: string;
  /** Undefined if the tree cannot be read: then nothing is known about the query. */
  readonly tree: readonly { readonly node: TreeNode }[] | undefined;
}

/** Output of `json_serialize_sql`. */
interface SerializedQuery {
  readonly error: boolean;
  readonly error_type?: string;
  readonly error_message?: string;
  readonly position?: string;
  readonly statements?: readonly { readonly node: TreeNode }[];
}

export interface AnswerOptions {
  readonly encoding: RowEncoding;
  readonly answerRows: number;
  readonly answerBytes: number;
  readonly isCut: boolean;
}

/** Rows whose structure is determined together: the engine holds all of their JSON in memory meanwhile. */
const STRUCTURE_ROWS = 20_000;

const captureStructure = JSON.stringify([
  {
    id: 'BIGINT',
    ...{ organization_id: 'VARCHAR', location_id: 'VARCHAR', robot_id: 'VARCHAR', part_id: 'VARCHAR' },
    ...{ component_type: 'VARCHAR', component_name: 'VARCHAR', method_name: 'VARCHAR' },
    ...{ tags: ['VARCHAR'], additional_parameters: 'JSON' },
  },
]);

/**
 * A database in memory for one query, with only the readings that the query can use. It has no access to files, network
 * or extensions, and the query cannot change this: `lock_configuration` is set before any part of the query is parsed.
 */
export class QueryDatabase {
  readonly #engine: Engine;
  readonly #connection: DuckDBConnection;
  #rows = 0;

  private constructor(engine: Engine, connection: DuckDBConnection) {
    this.#engine = engine;
    this.#connection = connection;
  }

  static async open(engine: Engine, memoryBytes: number): Promise<QueryDatabase> {
    const instance = await engine.DuckDBInstance.create(':memory:', {
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      allow_community_extensions: 'false',
      allow_unsigned_extensions: 'false',
      allow_persistent_secrets: 'false',
      memory_limit: `${Math.floor(memoryBytes / 1024)}KiB`,
      // Data that does not fit into memory is an error: nothing is written to disk.
      temp_directory: '',
      threads: '2',
      errors_as_json: 'true',
      // Last, because some of the other settings cannot be changed after it.
      enable_external_access: 'false',
    });
    const connection = await instance.connect();
    await connection.run("SET TimeZone = 'UTC'");
    await connection.run('CREATE SCHEMA stored');
    await connection.run(
      'CREATE TABLE stored.readings (capture BIGINT, requested_ms BIGINT, received_ms BIGINT, payload VARCHAR)',
    );
    await connection.run('SET lock_configuration = true');
    return new QueryDatabase(engine, connection);
  }

  /**
   * Parses a query without resolving its names. Only a SELECT has a syntax tree, so every statement that changes,
   * attaches, installs, copies or sets something is refused here.
   * @throws {QueryError}
   */
  async parse(sql: string): Promise<ParsedQuery> {
    const [[text]] = (await this.#read('SELECT json_serialize_sql($1::VARCHAR)', [sql])) as [[string]];
    const { error, error_type: type, error_message: message = '', position, statements } = readTree(text);
    if (error && type === 'not implemented')
      throw refused('Only a SELECT is answered here: data is read and never changed.');
    if (error) {
      // In the form that the engine has for all other errors.
      const place = position === undefined ? {} : { position };
      throw new Error(JSON.stringify({ exception_type: 'Syntax', exception_message: message, ...place }));
    }
    const count = statements?.length ?? (await this.#connection.extractStatements(sql)).count;
    if (count === 0) throw refused('The query is empty.');
    if (count > 1) throw refused(`These are ${count} statements; one is answered at a time.`);
    return { sql, tree: statements };
  }

  /** Stores the captures, and finds the readings that a query can use. */
  async findWanted({ tree }: ParsedQuery, captures: readonly QueryCapture[]): Promise<WantedReadings> {
    await this.#connection.run(
      `CREATE TABLE stored.captures AS SELECT unnest(from_json($1::JSON, '${captureStructure}'), max_depth := 2)`,
      [JSON.stringify(captures)],
    );
    if (tree === undefined) return { captureIds: captures.map(({ id }) => id), startMs: undefined, endMs: undefined };
    const ids = new Set<number>();
    let [startMs, endMs] = [Infinity, -Infinity];
    for (const mention of mentionsOf(tree)) {
      for (const id of await this.#capturesOf(mention, captures)) ids.add(id);
      const bounds = await this.#boundsOf(mention);
      startMs = Math.min(startMs, bounds.startMs ?? -Infinity);
      endMs = Math.max(endMs, bounds.endMs ?? Infinity);
    }
    return { captureIds: [...ids], startMs: finite(startMs), endMs: finite(endMs) };
  }

  /** Stores readings. */
  add({ captureIds, requestedAt, receivedAt, payloads }: ReadingsBatch): Promise<void> {
    const { BIGINT, VARCHAR, DuckDBDataChunk } = this.#engine;
    const big = (numbers: readonly number[]): bigint[] => numbers.map(BigInt);
    return this.#append((appender) => {
      for (let at = 0; at < payloads.length; at += MAX_CHUNK_ROWS) {
        const to = Math.min(at + MAX_CHUNK_ROWS, payloads.length);
        const chunk = DuckDBDataChunk.create([BIGINT, BIGINT, BIGINT, VARCHAR], to - at);
        const times = [captureIds, requestedAt, receivedAt].map((column) => big(column.slice(at, to)));
        chunk.setColumns([...times, payloads.slice(at, to)]);
        appender.appendDataChunk(chunk);
      }
      this.#rows += payloads.length;
    });
  }

  /** Runs a query on the stored readings. @throws {QueryError} if its answer is too long */
  async answer({ sql, tree }: ParsedQuery, options: AnswerOptions): Promise<QueryAnswer> {
    const structure = await this.#structure();
    const paths = dataPaths(tree);
    // A field that no reading has needs a type that fits the query, which may compare or average it: tries these types.
    let first: unknown;
    for (const type of ['DOUBLE', 'VARCHAR', 'JSON']) {
      const whole = paths.reduce((inner, path) => withPath(inner, path, type), structure);
      await this.#createView(columnStructure(whole));
      try {
        return await this.#run(sql, options);
      } catch (thrown) {
        first ??= thrown;
        const isKnown = JSON.stringify(whole) === JSON.stringify(structure);
        if (isKnown || thrown instanceof QueryError || failureOf(thrown, sql).reason !== 'query') break;
      }
    }
    throw first;
  }

  async #run(sql: string, options: AnswerOptions): Promise<QueryAnswer> {
    const prepared = await this.#connection.prepare(sql);
    if (prepared.parameterCount > 0) throw refused('The query has parameters: write their values into it.');
    return this.#readAnswer(await prepared.stream(), options);
  }

  async #append(work: (appender: Awaited<ReturnType<DuckDBConnection['createAppender']>>) => void): Promise<void> {
    const appender = await this.#connection.createAppender('readings', 'stored');
    work(appender);
    appender.closeSync();
  }

  async #capturesOf({ conditions }: Mention, captures: readonly QueryCapture[]): Promise<number[]> {
    const all = captures.map(({ id }) => id);
    if (conditions.length === 0) return all;
    const [query] = await this.#treeOf('SELECT id FROM stored.captures WHERE true');
    if (query === undefined) return all;
    const where = { class: 'CONJUNCTION', type: 'CONJUNCTION_AND', alias: '', query_location: 0, children: conditions };
    const rows = await this.#runTree(query, { where_clause: conditions.length === 1 ? conditions[0] : where });
    return rows?.map(([id]) => Number(id)) ?? all;
  }

  async #boundsOf({ bounds }: Mention): Promise<Pick<WantedReadings, 'startMs' | 'endMs'>> {
    let [startMs, endMs] = [-Infinity, Infinity];
    const [query] = await this.#treeOf('SELECT epoch_us(CAST(NULL AS TIMESTAMP))');
    for (const { side, expression } of bounds) {
      if (query === undefined) break;
      const [call] = query['select_list'] as [TreeNode];
      const [cast] = call['children'] as [TreeNode];
      const select = { ...call, children: [{ ...cast, child: expression }] };
      const rows = await this.#runTree(query, { select_list: [select] });
      const value = rows?.[0]?.[0];
      if (value === null || value === undefined) continue;
      const ms = Math.floor(Number(value) / 1_000);
      // Includes the bound itself; the query then decides whether it counts.
      if (side !== 'to') startMs = Math.max(startMs, ms);
      if (side !== 'from') endMs = Math.min(endMs, ms + 1);
    }
    return { startMs: finite(startMs), endMs: finite(endMs) };
  }

  /** The common structure of all readings. */
  async #structure(): Promise<Structure> {
    let structure: Structure = 'NULL';
    for (let at = 0; at < this.#rows; at += STRUCTURE_ROWS) {
      const rows = await this.#read(
        `SELECT json_group_structure(payload::JSON) FROM stored.readings WHERE rowid >= ${at} AND rowid < ${at + STRUCTURE_ROWS}`,
      );
      const [[text]] = rows as [[string]];
      structure = merged(structure, JSON.parse(text) as Structure);
    }
    return typeof structure === 'string' ? {} : structure;
  }

  /** Creates the view that queries read, with its columns in the order of the public documentation. */
  async #createView(structure: Structure): Promise<void> {
    const data =
      structure === 'JSON'
        ? 'payload::JSON'
        : `from_json(payload, '${JSON.stringify(structure).replaceAll("'", "''")}')`;
    await this.#connection.run(`CREATE OR REPLACE VIEW readings AS SELECT
      c.organization_id, c.location_id, c.robot_id, c.part_id, c.component_type, c.component_name, c.method_name,
      make_timestamp(r.requested_ms * 1000) AS time_requested, make_timestamp(r.received_ms * 1000) AS time_received,
      c.tags, c.additional_parameters, ${data} AS data
      FROM stored.readings r JOIN stored.captures c ON c.id = r.capture`);
  }

  async #readAnswer(result: DuckDBResult, options: AnswerOptions): Promise<QueryAnswer> {
    const { encoding, answerRows, answerBytes, isCut } = options;
    const names = result.deduplicatedColumnNames();
    const types = result.columnTypes();
    const plain = plainValues(this.#engine);
    const encode = rowEncoder(encoding, names);
    const columns = names.map((name, index) => ({ name, type: types[index]?.alias ?? String(types[index]) }));
    const rows: Uint8Array[] = [];
    let bytes = 0;
    for (;;) {
      const chunk = await result.fetchChunk();
      if (chunk === null || chunk.rowCount === 0) return { columns, rows, isCut: false };
      for (let index = 0; index < chunk.rowCount; index++) {
        const row = encode(chunk.getRowValues(index).map((value, column) => plain(value, types[column] as never)));
        bytes += row.length;
        if (rows.length < answerRows && bytes <= answerBytes) {
          rows.push(row);
          continue;
        }
        if (isCut) return { columns, rows, isCut: true };
        throw new QueryError({
          reason: 'long',
          message:
            rows.length < answerRows
              ? `The answer has more than ${answerBytes} bytes.`
              : `The answer has more than ${answerRows} rows.`,
        });
      }
    }
  }

  async #treeOf(sql: string): Promise<TreeNode[]> {
    const { tree } = await this.parse(sql);
    return (tree ?? []).map(({ node }) => node);
  }

  /** Runs an internal query with parts of the caller's. Undefined if it fails: the caller's query will report why. */
  async #runTree(node: TreeNode, changed: Readonly<Record<string, unknown>>): Promise<unknown[][] | undefined> {
    try {
      const tree = { error: false, statements: [{ node: { ...node, ...changed }, named_param_map: [] }] };
      const [[sql]] = (await this.#read('SELECT json_deserialize_sql($1::JSON)', [treeText(tree)])) as [[string]];
      return await this.#read(sql);
    } catch {
      return undefined;
    }
  }

  async #read(sql: string, values: string[] = []): Promise<unknown[][]> {
    return (await this.#connection.runAndReadAll(sql, values)).getRows();
  }
}

/** Most rows of a chunk of the engine. */
const MAX_CHUNK_ROWS = 2_048;

function readTree(text: string): SerializedQuery {
  try {
    return JSON.parse(text) as SerializedQuery;
  } catch {
    // The engine writes a constant such as 1e400 as a word that is not JSON. Errors contain no constants.
    return { error: !text.startsWith('{"error":false') };
  }
}

function refused(message: string): QueryError {
  return new QueryError({ reason: 'query', message });
}

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}
