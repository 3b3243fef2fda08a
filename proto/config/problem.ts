import { joinPointer } from './text/json-pointer.ts';

/**
 * One thing wrong with a configuration: where it is, what was found, what is
 * allowed. Printed by `armature config check --json` in this shape.
 */
export interface Problem {
  /** Path of the file as given, or '' where the text has no file. */
  readonly file: string;
  /** From 1; 0 where the place is unknown. */
  readonly line: number;
  readonly column: number;
  /** JSON pointer (RFC 6901) of the value, '' for the whole document. */
  readonly pointer: string;
  readonly severity: 'error' | 'warning';
  /** Stable code, area.reason: `config.syntax`, `config.unknown_key`, `attribute.out_of_range`, ... */
  readonly code: string;
  /** A plain sentence: the thing, the value found, what is allowed, the next step. */
  readonly message: string;
  /** The value found, as JSON text cut to 200 characters; absent where there is none. */
  readonly found?: string;
  /** Values or forms that are allowed. */
  readonly allowed?: readonly string[];
  /** The nearest known name or allowed value, as text: what the author likely meant. */
  readonly nearest?: string;
  /** The key that is needed and not there: `pointer` then leads to the innermost value around it that is there. */
  readonly missing?: string;
}

/** Pointer of the value that a problem is about, also where the document does not have it. */
export function placeOfProblem({ pointer, missing }: Pick<Problem, 'pointer' | 'missing'>): string {
  return missing === undefined ? pointer : joinPointer(pointer, missing);
}
