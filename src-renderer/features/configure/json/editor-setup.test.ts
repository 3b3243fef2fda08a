import { json } from '@codemirror/lang-json';
import { EditorState, Text } from '@codemirror/state';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Problem } from '../../../../proto/config/problem.ts';
import { diagnosticsOf, offsetOf } from './editor-setup.ts';

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
  it('marks the word at the place of a problem', () => {
    const doc = '{\n  "max_rpm": "fast",\n\n}';
    const state = EditorState.create({ doc, extensions: [json()] });
    const marked = diagnosticsOf(state, [problem(2, 14), problem(3, 1), problem(0, 0), problem(9, 9)]);
    expect(marked.map(({ from, to }) => doc.slice(from, to))).toEqual(['"fast"', '', '{', '}']);
  });

  it('counts lines and columns from 1, and stays inside the line and the text', () => {
    const text = '{\n  "name": "bench"\n}';
    const doc = Text.of(text.split('\n'));
    expect(text.slice(offsetOf(doc, 2, 3)).startsWith('"name"')).toBe(true);
    expect([offsetOf(doc, 1, 99), offsetOf(doc, 99, 1), offsetOf(doc, 0, 0)]).toEqual([1, text.length, 0]);
    fc.assert(
      fc.property(fc.integer({ min: -2, max: 50 }), fc.integer({ min: -2, max: 50 }), (line, column) => {
        const offset = offsetOf(doc, line, column);
        expect(offset).toBeGreaterThanOrEqual(0);
        expect(offset).toBeLessThanOrEqual(text.length);
      }),
    );
  });
});
