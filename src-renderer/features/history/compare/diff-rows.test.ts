import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffLines } from '../../../../proto/config/text/line-diff.ts';
import { diffRows } from './diff-rows.ts';

const lines = fc.array(fc.constantFrom('a', 'b', 'c', '{', '}'), { maxLength: 40 }).map((all) => all.join('\n'));

describe('the rows of a text comparison', () => {
  it('have the line numbers of their texts, in one column and in two', () => {
    fc.assert(
      fc.property(lines, lines, fc.nat(3), fc.boolean(), (from, to, context, isBeside) => {
        const [before, after] = [from.split('\n'), to.split('\n')];
        let [left, right] = [0, 0];
        for (const row of diffRows(diffLines(before, after, context), isBeside)) {
          if (row.kind === 'skipped') {
            left += row.count;
            right += row.count;
            continue;
          }
          if (row.from !== undefined) expect(row.from).toEqual({ number: ++left, text: before[left - 1] });
          if (row.to !== undefined) expect(row.to).toEqual({ number: ++right, text: after[right - 1] });
        }
        expect([left, right]).toEqual([before.length, after.length]);
      }),
    );
  });

  it('put removed lines beside the lines added in their place', () => {
    const shown = diffRows(diffLines(['a', 'b', 'c'], ['a', 'x', 'y', 'c'], 3), true);
    expect(shown.map((row) => (row.kind === 'skipped' ? row.count : [row.from?.text, row.to?.text]))).toEqual([
      ['a', 'a'],
      ['b', 'x'],
      [undefined, 'y'],
      ['c', 'c'],
    ]);
  });
});
