/**
 * A broken rule that a schema cannot express. `pointer` is relative to
 * `attributes`, for example `/pins/dir`; it may name a missing attribute.
 */
export interface AttributeProblem {
  readonly pointer: string;
  readonly severity: 'error' | 'warning';
  /** Stable code, area.reason: `attribute.out_of_range`, `attribute.conflict`, ... */
  readonly code: string;
  /** A plain sentence: the attribute, the value found, what is allowed. */
  readonly message: string;
  /** The allowed value nearest to the one found, as text, where one is obvious. */
  readonly nearest?: string;
}

/** An error at `pointer`. */
export function attributeError(pointer: string, code: string, message: string, nearest?: string): AttributeProblem {
  return { pointer, severity: 'error', code, message, ...(nearest === undefined ? {} : { nearest }) };
}

/** A warning at `pointer`: the entry works, but perhaps not as its author expects. */
export function attributeWarning(pointer: string, code: string, message: string): AttributeProblem {
  return { pointer, severity: 'warning', code, message };
}
