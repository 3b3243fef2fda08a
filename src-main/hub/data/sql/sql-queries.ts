import { FairSlots } from '../../../base/async/fair-slots.ts';
import { ArmatureError } from '../../../base/errors.ts';
import { tripletIn } from '../../../base/dialect.ts';
import type { ServerCall } from '../../../rpc/call.ts';
import type { Caller } from '../../access/caller.ts';
import type { Store } from '../../storage/store.ts';
import type { CaptureRow } from '../captures/captures.ts';
import { requiredScope } from '../query/scope.ts';
import { readingsOfCaptures } from '../tabular/reading-rows.ts';
import { QueryFailed, QueryProcess } from './query-process.ts';
import { defaultSqlLimits, type SqlLimits } from './sql-limits.ts';
import type { QueryAnswer, QueryCapture, RowEncoding, WantedReadings } from './sql-protocol.ts';

/** The package of the SQL engine. */
export const engineName = '@duckdb/node-api';

/** A query, and the form of its answer. */
export interface SqlQuery {
  readonly organizationId: string;
  readonly sql: string;
  readonly encoding: RowEncoding;
  /** A longer answer is cut to this number of rows. Undefined: an answer that is longer than the limit is an error. */
  readonly enoughRows: number | undefined;
}

/** An answer, and how much data it is made from. */
export interface SqlAnswer extends QueryAnswer {
  /** How many readings were sent to the query. */
  readonly readings: number;
}

export interface SqlQueriesOptions {
  readonly store: Store;
  readonly limits?: SqlLimits;
  /** Package of the engine; {@link engineName} if absent. */
  readonly engine?: string;
  /** Called for each process that is started. */
  readonly onProcess?: (process: QueryProcess) => void;
}

/**
 * SQL over readings, each query in a process of its own. The process gets only readings of one organization that the
 * caller may see and that the query can use, so that a query cannot find anything else.
 */
export class SqlQueries {
  readonly #store: Store;
  readonly #limits: SqlLimits;
  readonly #engine: string;
  readonly #slots: FairSlots;
  readonly #closing = new AbortController();
  readonly #onProcess: ((process: QueryProcess) => void) | undefined;
  readonly #open = new Set<Promise<unknown>>();

  constructor({ store, limits = defaultSqlLimits, engine = engineName, onProcess }: SqlQueriesOptions) {
    this.#store = store;
    this.#limits = limits;
    this.#engine = engine;
    this.#slots = new FairSlots(limits, 'queries');
    this.#onProcess = onProcess;
  }

  /**
   * @throws {QueryFailed} if the query is wrong
   * @throws {ArmatureError} `access.denied`, `call.not_found`, `call.too_large`, `call.deadline_exceeded`,
   *   `call.failed_precondition` if there is no engine, `call.overloaded`, `peer.unreachable`
   */
  async run(query: SqlQuery, caller: Caller, call: ServerCall): Promise<SqlAnswer> {
    const { organizationId, sql } = query;
    if (organizationId === '') throw badArgument('The "organization_id" is missing: say whose readings to query.');
    if (sql.length > this.#limits.queryChars) {
      throw badArgument(`The query has ${sql.length} characters; at most ${this.#limits.queryChars} are allowed.`);
    }
    const { db } = this.#store;
    await caller.require('organization.read', { type: 'organization', id: organizationId }, db);
    const { condition } = await requiredScope(caller, 'data.read', db);
    const signal = AbortSignal.any([call.signal, this.#closing.signal]);
    const { type, id } = caller.author;
    return this.#slots.run(`${type} ${id}`, signal, async () => {
      const captures = await db
        .selectFrom('captures')
        .selectAll()
        .where('is_binary', '=', 0)
        .where('count', '>', 0)
        .where('organization_id', '=', organizationId)
        .where(condition)
        .execute();
      const running = this.#runOn(captures, query, call.dialect, signal);
      this.#open.add(running);
      return running.finally(() => this.#open.delete(running));
    });
  }

  /** Cancels all queries, and waits until their processes have ended. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#open);
  }

  async #runOn(
    captures: readonly CaptureRow[],
    { sql, encoding, enoughRows }: SqlQuery,
    dialect: ServerCall['dialect'],
    signal: AbortSignal,
  ): Promise<SqlAnswer> {
    const { engineBytes, processBytes, answerRows, answerBytes } = this.#limits;
    const process = new QueryProcess(this.#limits, signal);
    this.#onProcess?.(process);
    try {
      const wanted = await process.start({
        ...{ engine: this.#engine, engineBytes, processBytes, sql, encoding, answerBytes },
        captures: captures.map((row) => queryCapture(row, dialect)),
        answerRows: Math.min(enoughRows ?? answerRows, answerRows),
        isCut: enoughRows !== undefined,
      });
      const readings = await this.#sendReadings(wanted, captures, process);
      return { ...(await process.answer()), readings };
    } catch (thrown) {
      throw thrown instanceof QueryFailed ? this.#errorOf(thrown) : thrown;
    } finally {
      await process.close();
    }
  }

  /** Sends the readings that the query can use. @returns how many they were */
  async #sendReadings(
    { captureIds, startMs, endMs }: WantedReadings,
    captures: readonly CaptureRow[],
    process: QueryProcess,
  ): Promise<number> {
    const ids = new Set(captureIds);
    const spans = captures
      .filter(({ id }) => ids.has(id))
      .map(({ id, first_at, last_at }) => ({ id, first: first_at ?? 0, last: last_at ?? 0 }))
      .filter(({ first, last }) => first < (endMs ?? Infinity) && last >= (startMs ?? -Infinity));
    let [count, bytes] = [0, 0];
    for await (const rows of readingsOfCaptures(spans, { startMs, endMs }, this.#store.db)) {
      count += rows.length;
      bytes += rows.reduce((sum, { payload }) => sum + payload.length, 0);
      if (count > this.#limits.readings || bytes > this.#limits.payloadBytes) throw this.#tooMany();
      await process.send({
        captureIds: rows.map(({ captureId }) => captureId),
        requestedAt: rows.map(({ requestedAt }) => requestedAt),
        receivedAt: rows.map(({ receivedAt }) => receivedAt),
        payloads: rows.map(({ payload }) => payload),
      });
    }
    return count;
  }

  #tooMany(): ArmatureError {
    const { readings, payloadBytes } = this.#limits;
    return new ArmatureError(
      'call.too_large',
      `The query needs more than ${readings} readings or ${payloadBytes} bytes of them, which is the most. Narrow it where it says FROM readings: WHERE time_received >= ... AND time_received < ..., or AND component_name = '...'. A LIMIT does not narrow it.`,
    );
  }

  /** A mistake in the query stays a {@link QueryFailed}, which has its position. */
  #errorOf(failed: QueryFailed): Error {
    const { reason, message } = failed.failure;
    switch (reason) {
      case 'query':
        return failed;
      case 'memory':
        return new ArmatureError(
          'call.too_large',
          `The query needs more memory than the ${this.#limits.processBytes} bytes that it may have. Narrow it, or group less at once.`,
        );
      case 'long':
        return new ArmatureError('call.too_large', `${message} Add a LIMIT, or a time to its WHERE.`);
      case 'absent':
        return new ArmatureError(
          'call.failed_precondition',
          `SQL is not available at this hub: the package ${this.#engine} is not installed, or is not made for ${globalThis.process.platform} on ${globalThis.process.arch}. Install it in the hub's folder by "npm install ${this.#engine}".`,
          { details: { reason: message } },
        );
    }
  }
}

function queryCapture(row: CaptureRow, dialect: ServerCall['dialect']): QueryCapture {
  return {
    id: row.id,
    organization_id: row.organization_id,
    location_id: row.location_id,
    robot_id: row.machine_id,
    part_id: row.part_id,
    component_type: tripletIn(row.component_type, dialect),
    component_name: row.component_name,
    method_name: row.method_name,
    tags: JSON.parse(row.tags) as string[],
    additional_parameters: JSON.parse(row.parameters) as unknown,
  };
}

function badArgument(message: string): ArmatureError {
  return new ArmatureError('call.bad_argument', message);
}
