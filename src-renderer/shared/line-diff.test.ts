import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffLines, type DiffLine } from './line-diff.ts';

const marks: Readonly<Record<DiffLine['kind'], string>> = { same: ' ', removed: '-', added: '+', skipped: '~' };
const shown = (from: string, to: string, context: number): string[] =>
  diffLines(from, to, context).map((line) => marks[line.kind] + line.text);

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
        const lines = diffLines(from, to, 1000);
        const side = (kind: DiffLine['kind']): string =>
          lines
            .filter((line) => line.kind === 'same' || line.kind === kind)
            .map((line) => line.text)
            .join('\n');
        expect([side('removed'), side('added')]).toEqual([from, to]);
      }),
    );
  });
});
