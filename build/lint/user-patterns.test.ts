import { Linter } from 'eslint';
import tseslint from 'typescript-eslint';
import { describe, expect, it } from 'vitest';
import userPatterns from './user-patterns.js';

/** Number of problems that the rule reports; with `file` it knows types. */
function complaints(code: string): number {
  const found = new Linter({ configType: 'flat', cwd: import.meta.dirname }).verify(
    code,
    [
      {
        files: ['**/*.ts'],
        plugins: { armature: { rules: { 'user-patterns': userPatterns } } },
        languageOptions: {
          parser: tseslint.parser,
          parserOptions: { projectService: { allowDefaultProject: ['*.ts'] }, tsconfigRootDir: import.meta.dirname },
        },
        rules: { 'armature/user-patterns': 'error' },
      },
    ] as Linter.Config[],
    `${import.meta.dirname}/example.ts`,
  );
  const others = found.filter(({ ruleId }) => ruleId !== 'armature/user-patterns');
  if (others.length > 0) throw new Error(JSON.stringify(others));
  return found.length;
}

describe('a JavaScript regular expression', () => {
  it.each([
    'declare const text: string; new RegExp(text)',
    "declare const text: string; RegExp(text, 'i')",
    'declare const text: string; new RegExp(`^${text}$`)',
    'declare const text: string; new globalThis.RegExp(text)',
    "declare const text: string; new globalThis['RegExp'](`^` + text)",
    "declare const text: string; 'a'.replace(new RegExp(text, 'g'), '')",
    'declare const text: string, line: string; line.match(text)',
    'declare const text: string, line: string; line.matchAll(text)',
    'declare const text: string, line: string; line.search(`${text}+`)',
  ])('is refused: %s', (code) => {
    expect(complaints(code)).toBe(1);
  });

  it.each([
    "new RegExp('^a+$')",
    'new RegExp(String.raw`^\\d$`)',
    "new RegExp('a' + 'b')",
    'declare const line: string; line.match(/a+/)',
    'declare const line: string, pattern: RegExp; line.match(pattern)',
    "declare const line: string; line.replaceAll('a', 'b')",
    'declare const list: { match(type: string): boolean }, type: string; list.match(type)',
    'declare const text: string;\n// eslint-disable-next-line armature/user-patterns -- a test\nnew RegExp(text)',
  ])('is allowed: %s', (code) => {
    expect(complaints(code)).toBe(0);
  });
});
