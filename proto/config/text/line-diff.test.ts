import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffLines, type DiffLine } from './line-diff.ts';

const marks: Readonly<Record<DiffLine['kind'], string>> = { same: ' ', removed: '-', added: '+', skipped: '~' };
const shown = (from: string, to: string, context: number): string[] =>
  diffLines(from.split('\n'), to.split('\n'), context).map((line) => marks[line.kind] + line.text);

describe('the comparison of two texts', () => {
  it('shows what changed with its surroundings and counts the rest', () => {
    const lines = Array.from({ length: 12 }, (_, index) => `l${index}`);
    const changed = lines.map((line, index) => (index === 6 ? 'new' : line));
    expect(shown(lines.join('\n'), changed.join('\n'), 2)).toEqual([
      '~4',
      ' l4',
      ' l5',
      '-l6',
      '+new',
      ' l7',
      ' l8',
      '~3',
    ]);
  });

  it('is all equal for equal texts', () => {
    expect(shown('a\nb\nc', 'a\nb\nc', 1)).toEqual(['~3']);
  });

  it('rebuilds both texts from its lines', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 }).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(text, text, (from, to) => {
        // Without a change there is nothing for lines to surround: all of them are counted (the test above).
        fc.pre(from !== to);
        const lines = diffLines(from.split('\n'), to.split('\n'), 1000);
        const side = (kind: DiffLine['kind']): string =>
          lines
            .filter((line) => line.kind === 'same' || line.kind === kind)
            .map((line) => line.text)
            .join('\n');
        expect([side('removed'), side('added')]).toEqual([from, to]);
      }),
    );
  });

  it('is found in long texts with few changes', () => {
    const lines = Array.from({ length: 100_000 }, (_, index) => `l${index % 50}`);
    const changed = lines.with(10, 'new').toSpliced(99_000, 1);
    expect(shown(lines.join('\n'), changed.join('\n'), 0)).toEqual(['~10', '-l10', '+new', '~98989', '-l0', '~999']);
  });

  it.each([
    [5_000, 5_000],
    [100_000, 40],
  ])('does not search long in texts that share little: %i and %i lines', (before, after) => {
    const text = (count: number, word: string): string =>
      Array.from({ length: count }, (_, index) => (index % 31 === 7 ? '}' : `${word}${index}`)).join('\n');
    const lines = shown(text(before, 'a'), text(after, 'b'), 1);
    expect(lines.findIndex((line) => line.startsWith('+'))).toBe(before);
    expect(lines).toHaveLength(before + after);
  });
});
