/**
 * What the hub and the process of a query tell each other. The hub starts, is told which readings the query can use, sends
 * them piece by piece, each after the one before was taken, and is given the answer.
 */

/** What many readings have in common, as the query sees it. */
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

/** How rows of the answer are written: BSON documents, or JSON texts of lists in the order of the columns. */
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
  /** A longer answer is cut; else it is a failure. */
  readonly isCut: boolean;
}

/** Readings, a column for each of their facts. Times are wall-clock milliseconds. */
export interface ReadingsPiece {
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

export type ToQuery = StartQuery | ReadingsPiece | ReadingsEnd;

/** The readings that a query can use: none outside of them changes its answer. */
export interface WantedReadings {
  readonly captureIds: readonly number[];
  /** Received from, and before, wall-clock ms; undefined is open. */
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
   * `absent`: there is no engine. `query`: it is wrong, or met a value that it cannot use. `memory`: it needs more than it
   * may have. `long`: its answer is longer than it may be.
   */
  readonly reason: 'absent' | 'query' | 'memory' | 'long';
  readonly message: string;
  /** Characters of the query before the place that is meant; undefined where there is none. */
  readonly position?: number | undefined;
}

export type FromQuery =
  | ({ readonly kind: 'wanted' } & WantedReadings)
  | { readonly kind: 'taken' }
  | ({ readonly kind: 'answer' } & QueryAnswer)
  | ({ readonly kind: 'failed' } & QueryFailure);
