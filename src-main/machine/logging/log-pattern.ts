/** A pattern of a `log` entry, ready to be tried against names. */
export type CompiledPattern =
  | { readonly kind: 'valid'; readonly matches: (name: string) => boolean }
  | { readonly kind: 'invalid'; readonly reason: string };

/** Longer patterns are refused. */
const LONGEST_PATTERN = 500;

/**
 * Compiles a log pattern (ruling 16). It must match a whole name. `*` is any
 * run of characters, `.` is a dot, `\x` is x as a regular expression reads it,
 * a class `[...]` stays as it is, and everything else is regular expression
 * syntax; a leading `(?i)` ignores case.
 */
export function compileLogPattern(pattern: string): CompiledPattern {
  if (pattern === '') return { kind: 'invalid', reason: 'it is empty' };
  if (pattern.length > LONGEST_PATTERN) {
    return { kind: 'invalid', reason: `it has ${pattern.length} characters, ${LONGEST_PATTERN} are allowed` };
  }
  const ignoresCase = pattern.startsWith('(?i)');
  const source = translate(ignoresCase ? pattern.slice(4) : pattern);
  try {
    const expression = new RegExp(`^(?:${source})$`, ignoresCase ? 'i' : '');
    return { kind: 'valid', matches: (name) => expression.test(name) };
  } catch (thrown) {
    // Bad syntax is the user's to mend; the entry is skipped with this reason.
    return { kind: 'invalid', reason: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

const TOKEN = /\\[^]|\[\^?\]?(?:\\[^]|[^\]\\])*\]|\*+|\.|[^]/g;

function translate(pattern: string): string {
  return pattern.replace(TOKEN, (token) => {
    if (token.startsWith('*')) return '.*';
    return token === '.' ? '\\.' : token;
  });
}
