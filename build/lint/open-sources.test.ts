import { Linter } from 'eslint';
import { expect, it } from 'vitest';
import openSources from './open-sources.js';

function found(code: string): number {
  const config = [{ plugins: { armature: { rules: { open: openSources } } }, rules: { 'armature/open': 'error' } }];
  return new Linter().verify(code, config as Linter.Config[]).length;
}

it.each([
  '// One at a time (B2.7).',
  '/** As ruling 10 has it. */',
  "it('complaint 7: a value out of range is named', () => {});",
  '/* See wire-contract.md. */',
  '`spec row "pins": ${1}`',
])('what nobody can look up is refused: %s', (code) => {
  expect(found(code)).toBe(1);
});

it.each([
  '// RFC 6750, section 2.1: one at a time.',
  "const model = 'B2'; // of 2.7 V",
  "it('a complaint is answered in 7 days', () => {});",
  "const contract = 'core.status.v1';",
])('reasons and public sources are not: %s', (code) => {
  expect(found(code)).toBe(0);
});
