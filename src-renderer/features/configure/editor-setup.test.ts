import { json } from '@codemirror/lang-json';
import { EditorState } from '@codemirror/state';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Problem } from '../../../proto/config/problem.ts';
import { diagnosticsOf, replacementOf } from './editor-setup.ts';

const problem = (line: number, column: number): Problem => ({
  file: '',
  line,
  column,
  pointer: '',
  severity: 'error',
  code: 'config.syntax',
  message: 'wrong',
});

describe('the editor', () => {
  it('complaint 6: marks the word at the place of a problem', () => {
    const doc = '{\n  "max_rpm": "fast",\n\n}';
    const state = EditorState.create({ doc, extensions: [json()] });
    const marked = diagnosticsOf(state, [problem(2, 14), problem(3, 1), problem(0, 0), problem(9, 9)]);
    expect(marked.map(({ from, to }) => doc.slice(from, to))).toEqual(['"fast"', '', '{', '}']);
  });

  it('replaces only what differs', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (from, to) => {
        const change = replacementOf(from, to);
        expect(from.slice(0, change.from) + change.insert + from.slice(change.to)).toBe(to);
      }),
    );
    expect(replacementOf('abcd', 'abXd')).toEqual({ from: 2, to: 3, insert: 'X' });
  });
});
