import { compileUserPattern } from '../../base/user-pattern.ts';

/** A pattern of a `log` entry, compiled. */
export type CompiledPattern =
  | { readonly kind: 'valid'; readonly matches: (name: string) => boolean }
  | { readonly kind: 'invalid'; readonly reason: string };

/** Longer patterns are refused. */
const LONGEST_PATTERN = 500;

/**
 * Compiles a log pattern. It must match a whole name. `*` is any run of
 * characters, `.` is a dot, `\x` is x as a regular expression reads it, a class
 * `[...]` stays as it is, and everything else is RE2 syntax; a leading `(?i)`
 * ignores case.
 */
export function compileLogPattern(pattern: string): CompiledPattern {
  if (pattern === '') return { kind: 'invalid', reason: 'it is empty' };
  if (pattern.length > LONGEST_PATTERN) {
    return { kind: 'invalid', reason: `it has ${pattern.length} characters, ${LONGEST_PATTERN} are allowed` };
  }
  if (PLAIN.test(pattern)) return { kind: 'valid', matches: plainMatcher(pattern) };
  const ignoresCase = pattern.startsWith('(?i)');
  const compiled = compileUserPattern(translate(ignoresCase ? pattern.slice(4) : pattern), { ignoresCase });
  if (compiled.kind === 'invalid') return compiled;
  return { kind: 'valid', matches: (name) => compiled.pattern.matchesWhole(name) };
}

/** Only names and wildcards, no regular expressions: most patterns. */
const PLAIN = /^[\w:/ .*-]+$/;

/** Avoids the regular expression engine: loading it takes a twentieth of a start. */
function plainMatcher(pattern: string): (name: string) => boolean {
  const [first = '', ...others] = pattern.split(/\*+/);
  const last = others.pop();
  if (last === undefined) return (name) => name === first;
  return (name) => {
    if (!name.startsWith(first)) return false;
    let at = first.length;
    for (const part of others) {
      const found = name.indexOf(part, at);
      if (found === -1) return false;
      at = found + part.length;
    }
    return name.length >= at + last.length && name.endsWith(last);
  };
}

const TOKEN = /\\[^]|\[\^?\]?(?:\\[^]|[^\]\\])*\]|\*+|\.|[^]/g;

function translate(pattern: string): string {
  return pattern.replace(TOKEN, (token) => {
    if (token.startsWith('*')) return '.*';
    return token === '.' ? '\\.' : token;
  });
}
