import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';

/** A regular expression from outside this program. */
export interface UserPattern {
  /** Whether it matches a whole text. */
  matchesWhole(text: string): boolean;
  /** Its first match in a text: the first group, else the whole match. Undefined if there is no match. */
  findFirst(text: string): string | undefined;
}

export interface UserPatternOptions {
  readonly ignoresCase?: boolean;
  /** `^` and `$` match at each line. */
  readonly isMultiline?: boolean;
}

export type CompiledUserPattern =
  | { readonly kind: 'valid'; readonly pattern: UserPattern }
  /** @property reason completes "it is no pattern: ..." */
  | { readonly kind: 'invalid'; readonly reason: string };

/** Limit of instructions in a compiled pattern. Matching takes at most this many steps per character. */
const LARGEST_PROGRAM = 1_000;

/**
 * Compiles a pattern in the syntax of RE2 (https://github.com/google/re2/wiki/Syntax). The time of a match is at most
 * proportional to the text and the pattern, while a few characters can keep JavaScript's own engine, and with it the
 * whole program, busy indefinitely. Never throws.
 */
export function compileUserPattern(source: string, options: UserPatternOptions = {}): CompiledUserPattern {
  const engine = loadEngine();
  try {
    const flags =
      (options.ignoresCase === true ? engine.CASE_INSENSITIVE : 0) |
      (options.isMultiline === true ? engine.MULTILINE : 0);
    const compiled = engine.compile(source, flags);
    const size = compiled.programSize();
    if (size > LARGEST_PROGRAM) {
      return { kind: 'invalid', reason: `it has ${size} steps with its repetitions, ${LARGEST_PROGRAM} are allowed` };
    }
    return { kind: 'valid', pattern: patternOf(compiled) };
  } catch (thrown) {
    // Syntax errors are for the author to fix; the caller reports the place.
    return { kind: 'invalid', reason: reasonOf(thrown) };
  }
}

function patternOf(compiled: RE2JS): UserPattern {
  return {
    matchesWhole: (text) => compiled.testExact(text),
    findFirst: (text) => {
      const matcher = compiled.matcher(text);
      if (!matcher.find()) return undefined;
      return (compiled.groupCount() > 0 ? matcher.group(1) : null) ?? matcher.group(0) ?? undefined;
    },
  };
}

function reasonOf(thrown: unknown): string {
  const { error, input } = thrown as { error?: unknown; input?: unknown };
  const part = typeof input === 'string' ? input : '';
  if (/^\(\?<?[=!]/.test(part)) return `${quoted(part)} looks ahead or behind, which patterns here cannot`;
  if (/^\\[1-9k]/.test(part)) return `${quoted(part)} refers back to a group, which patterns here cannot`;
  if (typeof error === 'string') return part === '' ? error : `${error}: ${quoted(part)}`;
  return thrown instanceof Error ? thrown.message : String(thrown);
}

function quoted(part: string): string {
  return part.length <= 40 ? `"${part}"` : `"${part.slice(0, 40)}..."`;
}

let loaded: typeof RE2JS | undefined;

/** Not an import: most configurations have no pattern, and loading takes a tenth of a start. */
function loadEngine(): typeof RE2JS {
  loaded ??= (createRequire(import.meta.url)('re2js') as { RE2JS: typeof RE2JS }).RE2JS;
  return loaded;
}
