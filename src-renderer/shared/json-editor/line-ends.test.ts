import { Text } from '@codemirror/state';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editorText, LineEnds } from './line-ends.ts';

const oddText = fc
  .array(fc.constantFrom('a', 'b', '\r\n', '\n', '\r'), { maxLength: 20 })
  .map((parts) => parts.join(''));

describe('the ends of lines', () => {
  it('map each offset in the editor to the same place in the text, and back', () => {
    fc.assert(
      fc.property(oddText, (text) => {
        const ends = new LineEnds(text);
        const shown = editorText(text);
        for (let offset = 0; offset <= shown.length; offset += 1) {
          expect(editorText(text.slice(0, ends.inText(offset)))).toBe(shown.slice(0, offset));
          expect(ends.inEditor(ends.inText(offset))).toBe(offset);
        }
      }),
    );
  });

  it('are split as the editor splits them', () => {
    fc.assert(
      fc.property(oddText, (text) => {
        expect(Text.of(text.split(/\r\n?|\n/)).toString()).toBe(editorText(text));
      }),
    );
  });

  it('of a new line are as in the first line', () => {
    expect([new LineEnds('a\r\nb\nc').eol, new LineEnds('a\n').eol, new LineEnds('').eol]).toEqual([
      '\r\n',
      '\n',
      '\n',
    ]);
  });
});
