/**
 * Messages between the hub and the process of a query. The hub sends the query, the process answers which readings it
 * can use, the hub sends those in batches, each after the previous one was stored, and the process sends the answer.
 */

/** Properties that many readings share, as columns of the query. */
export interface QueryCapture {
  readonly id: number;
  readonly organization_id: string;
  readonly location_id: string;
  readonly robot_id: string;
  readonly part_id: string;
  readonly component_type: string;
  readonly component_name: string;
  readonly method_name: string;
  readonly tags: readonly string[];
  readonly additional_parameters: unknown;
}

/** Encoding of the rows of an answer: BSON documents, or JSON arrays in the order of the columns. */
export type RowEncoding = 'bson' | 'json';

export interface StartQuery {
  readonly kind: 'start';
  /** Package of the engine. */
  readonly engine: string;
  readonly engineBytes: number;
  readonly processBytes: number;
  readonly sql: string;
  readonly captures: readonly QueryCapture[];
  readonly encoding: RowEncoding;
  readonly answerRows: number;
  readonly answerBytes: number;
  /** Whether a longer answer is cut; otherwise it is a failure. */
  readonly isCut: boolean;
}

/** A batch of readings, by columns. Times are wall-clock milliseconds. */
export interface ReadingsBatch {
  readonly kind: 'readings';
  readonly captureIds: readonly number[];
  readonly requestedAt: readonly number[];
  readonly receivedAt: readonly number[];
  /** JSON objects. */
  readonly payloads: readonly string[];
}

/** There are no more readings. */
export interface ReadingsEnd {
  readonly kind: 'end';
}

export type ToQuery = StartQuery | ReadingsBatch | ReadingsEnd;

/** The readings that a query can use: no others affect its answer. */
export interface WantedReadings {
  readonly captureIds: readonly number[];
  /** Interval of `time_received`, wall-clock milliseconds, without its end; undefined means no bound. */
  readonly startMs: number | undefined;
  readonly endMs: number | undefined;
}

export interface QueryColumn {
  readonly name: string;
  /** As DuckDB writes it: `DOUBLE`, `TIMESTAMP`, `STRUCT(...)`. */
  readonly type: string;
}

export interface QueryAnswer {
  readonly columns: readonly QueryColumn[];
  /** In the encoding that was asked for. */
  readonly rows: readonly Uint8Array[];
  readonly isCut: boolean;
}

export interface QueryFailure {
  /**
   * `absent`: there is no engine. `query`: the query is wrong, or a value does not fit it. `memory`: it needs too much
   * memory. `long`: its answer is too long.
   */
  readonly reason: 'absent' | 'query' | 'memory' | 'long';
  readonly message: string;
  /** Where the mistake is: number of characters of the query before it; undefined if unknown. */
  readonly position?: number | undefined;
}

export type FromQuery =
  | ({ readonly kind: 'wanted' } & WantedReadings)
  | { readonly kind: 'taken' }
  | ({ readonly kind: 'answer' } & QueryAnswer)
  | ({ readonly kind: 'failed' } & QueryFailure);
