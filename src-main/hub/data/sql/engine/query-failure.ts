import type { QueryFailure } from '../sql-protocol.ts';

/** Why a query has no answer. */
export class QueryError extends Error {
  readonly failure: QueryFailure;

  constructor(failure: QueryFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** What DuckDB says of an error where `errors_as_json` is set. */
interface EngineError {
  readonly exception_type?: string;
  readonly exception_message?: string;
  /** Bytes of the query before the place. */
  readonly position?: string;
}

/** What DuckDB threw, in words for who wrote the query. */
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
  // Errors of the parser have "Parser Error: " before.
  const json = text.slice(Math.max(0, text.indexOf('{')));
  try {
    return JSON.parse(json) as EngineError;
  } catch {
    // Said by the binding, and not by the engine.
    return {};
  }
}

/** DuckDB counts bytes of UTF-8. */
export function charactersBefore(bytes: number, sql: string): number {
  return Buffer.from(sql).subarray(0, bytes).toString().length;
}
