import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileUserPattern, type UserPattern, type UserPatternOptions } from './user-pattern.ts';

function compiled(source: string, options?: UserPatternOptions): UserPattern {
  const result = compileUserPattern(source, options);
  if (result.kind === 'invalid') throw new Error(result.reason);
  return result.pattern;
}

describe('a pattern of a user', () => {
  it.each(['.*(x+)+y', '(x+x+)+y', '(x|x)*y', '(x|xx)+y', '(.*)*y', '(x*)*y'])('%s ends on a long text', (source) => {
    expect(compiled(source).matchesWhole('x'.repeat(20_000))).toBe(false);
    expect(compiled(source).findFirst('x'.repeat(20_000))).toBeUndefined();
  });

  it('finds its first group, else all that matched', () => {
    expect(compiled('t=(\\d+)').findFirst('a t=12 t=13')).toBe('12');
    expect(compiled('t=\\d+').findFirst('a t=12')).toBe('t=12');
    expect(compiled('a(x)?7').findFirst('a7')).toBe('a7');
    expect(compiled('^b$', { isMultiline: true }).findFirst('a\nb')).toBe('b');
    expect(compiled('^b$').findFirst('a\nb')).toBeUndefined();
    expect(compiled('AB', { ignoresCase: true }).matchesWhole('ab')).toBe(true);
  });

  it.each([
    ['(?=a)b', '"(?=" looks ahead or behind, which patterns here cannot'],
    ['(?!a)b', '"(?!" looks ahead or behind'],
    ['(?<=a)b', 'looks ahead or behind'],
    ['(?<!a)b', 'looks ahead or behind'],
    ['(a)\\1', '"\\1" refers back to a group, which patterns here cannot'],
    ['(', 'missing closing )'],
    ['a{2,1}', 'invalid repeat count: "{2,1}"'],
    ['(.{30}){30}a{90}[bc]{90}', 'it has 1142 steps with its repetitions, 1000 are allowed'],
  ])('%s is refused with the reason', (source, reason) => {
    const result = compileUserPattern(source);
    expect(result.kind === 'invalid' ? result.reason : 'it is valid').toContain(reason);
  });

  it('reads what both engines know as JavaScript does', () => {
    const atom = fc.oneof(fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\d', '\\w', '(?:ab|b)'));
    const piece = fc.tuple(atom, fc.constantFrom('', '', '*', '+', '?', '{1,2}')).map((parts) => parts.join(''));
    const source = fc.array(piece, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(''));
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '1', '-'), maxLength: 8 });
    fc.assert(
      fc.property(source, text, (pattern, subject) => {
        expect(compiled(pattern).findFirst(subject)).toBe(new RegExp(pattern).exec(subject)?.[0]);
        expect(compiled(pattern).matchesWhole(subject)).toBe(new RegExp(`^(?:${pattern})$`).test(subject));
      }),
    );
  });
});
