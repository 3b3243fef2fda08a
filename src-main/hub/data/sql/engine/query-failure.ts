import type { QueryFailure } from '../sql-protocol.ts';

/** A query has no answer, for this reason. */
export class QueryError extends Error {
  readonly failure: QueryFailure;

  constructor(failure: QueryFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** An error of DuckDB with `errors_as_json`. */
interface EngineError {
  readonly exception_type?: string;
  readonly exception_message?: string;
  /** Number of bytes of the query before the mistake. */
  readonly position?: string;
}

/** Converts an error of DuckDB to a failure for the author of the query. */
export function failureOf(thrown: unknown, sql: string): QueryFailure {
  if (thrown instanceof QueryError) return thrown.failure;
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  const { exception_type: type = '', exception_message: message = text, position } = engineError(text);
  if (type === 'Out of Memory') return { reason: 'memory', message: 'The query needs more memory than it may have.' };
  return {
    reason: 'query',
    message: type === '' ? message : `${type} error: ${message}`,
    position: position === undefined ? undefined : charactersBefore(Number(position), sql),
  };
}

function engineError(text: string): EngineError {
  // Errors of the parser begin with "Parser Error: ".
  const json = text.slice(Math.max(0, text.indexOf('{')));
  try {
    return JSON.parse(json) as EngineError;
  } catch {
    // An error of the binding, not of the engine.
    return {};
  }
}

/** Converts a position in bytes of UTF-8, as DuckDB counts, to characters. */
export function charactersBefore(bytes: number, sql: string): number {
  return Buffer.from(sql).subarray(0, bytes).toString().length;
}
