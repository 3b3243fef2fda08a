import { closeBrackets, closeBracketsKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import {
  bracketMatching,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
  syntaxTree,
} from '@codemirror/language';
import { lintGutter, lintKeymap, type Diagnostic } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import type { EditorState, Extension, Text } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { Problem } from '../../../../proto/config/problem.ts';

const highlight = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--code-key)' },
  { tag: tags.string, color: 'var(--code-string)' },
  { tag: tags.number, color: 'var(--code-number)' },
  { tag: [tags.bool, tags.null], color: 'var(--code-atom)' },
  { tag: [tags.separator, tags.squareBracket, tags.brace], color: 'var(--ink-2)' },
]);

const theme = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--panel)', color: 'var(--ink)', fontSize: 'var(--text-m)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6' },
  '.cm-content': { padding: '8px 0', caretColor: 'var(--accent)' },
  '.cm-line': { padding: '0 12px 0 6px' },
  '.cm-cursor': { borderLeftColor: 'var(--accent)', borderLeftWidth: '2px' },
  '.cm-gutters': { backgroundColor: 'var(--panel)', color: 'var(--ink-3)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'color-mix(in srgb, var(--off-soft) 55%, transparent)' },
  '.cm-activeLineGutter': { color: 'var(--ink)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--accent-soft)',
  },
  '.cm-selectionMatch': { backgroundColor: 'var(--accent-soft)' },
  '&.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--accent-soft)',
    outline: '1px solid var(--line-strong)',
  },
  '.cm-foldPlaceholder': {
    backgroundColor: 'var(--off-soft)',
    color: 'var(--ink-2)',
    border: 'none',
    padding: '0 6px',
  },
  '.cm-lintRange-error, .cm-lintRange-warning': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--bad)',
    textDecorationSkipInk: 'none',
    textUnderlineOffset: '3px',
  },
  '.cm-lintRange-warning': { textDecorationColor: 'var(--warn)' },
  '.cm-gutter-lint': { width: '18px' },
  '.cm-gutter-lint .cm-gutterElement': { padding: '0 0 0 6px', display: 'flex', alignItems: 'center' },
  '.cm-lint-marker': { width: '9px', height: '9px', borderRadius: '50%' },
  '.cm-lint-marker-error': { content: '""', backgroundColor: 'var(--bad)' },
  '.cm-lint-marker-warning': { content: '""', backgroundColor: 'var(--warn)', borderRadius: '2px' },
  '.cm-tooltip': {
    backgroundColor: 'var(--panel)',
    color: 'var(--ink)',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius-m)',
    boxShadow: 'var(--shadow-high)',
    overflow: 'hidden',
  },
  '.cm-diagnostic': { fontFamily: 'var(--font)', padding: '6px 12px', maxWidth: '460px' },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--bad)' },
  '.cm-diagnostic-warning': { borderLeft: '3px solid var(--warn)' },
  '.cm-panels': { backgroundColor: 'var(--sunk)', color: 'var(--ink)' },
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-panel.cm-search': { padding: '8px 12px', fontFamily: 'var(--font)' },
  '.cm-textfield': {
    backgroundColor: 'var(--panel)',
    color: 'var(--ink)',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius-s)',
    fontSize: 'var(--text-m)',
  },
  '.cm-button': {
    backgroundImage: 'none',
    backgroundColor: 'var(--panel)',
    color: 'var(--ink)',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius-s)',
    fontSize: 'var(--text-m)',
  },
});

/**
 * The editor for JSON. Tab is not taken: the keyboard can leave it. Undo is
 * kept for at least 75 steps.
 */
export function editorExtensions(label: string): Extension {
  return [
    lineNumbers(),
    foldGutter(),
    lintGutter(),
    highlightSpecialChars(),
    history({ minDepth: 500 }),
    drawSelection(),
    indentOnInput(),
    indentUnit.of('  '),
    bracketMatching(),
    closeBrackets(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    highlightSelectionMatches(),
    search({ top: true }),
    json(),
    syntaxHighlighting(highlight),
    theme,
    EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', tabindex: '0' }),
    keymap.of([
      ...closeBracketsKeymap,
      ...defaultKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...foldKeymap,
      ...lintKeymap,
    ]),
  ];
}

/**
 * Where a line and column (both from 1, as problems have them) are in a text.
 * A place past the end of a line or of the text is its end; line 0 (unknown) is the start.
 */
export function offsetOf(doc: Text, line: number, column: number): number {
  if (line < 1) return 0;
  if (line > doc.lines) return doc.length;
  const { from, to } = doc.line(line);
  return Math.min(from + Math.max(column - 1, 0), to);
}

/** Problems as the editor marks them: under the word at their place, or under the line where that is empty. */
export function diagnosticsOf(state: EditorState, problems: readonly Problem[]): Diagnostic[] {
  const tree = syntaxTree(state);
  return problems.map((problem) => {
    const at = offsetOf(state.doc, problem.line, problem.column);
    const node = tree.resolveInner(at, 1);
    const line = state.doc.lineAt(at);
    const isWord = node.from >= line.from && node.to <= line.to && node.to > at;
    const to = isWord ? node.to : line.to;
    return {
      from: at === to ? line.from : at,
      to,
      severity: problem.severity,
      message: problem.message,
      source: problem.code,
    };
  });
}

/** The smallest replacement that leads from one text to another, so that the cursor and undo stay useful. */
export function replacementOf(from: string, to: string): { from: number; to: number; insert: string } {
  const longest = Math.min(from.length, to.length);
  let head = 0;
  while (head < longest && from[head] === to[head]) head += 1;
  let tail = 0;
  while (tail < longest - head && from[from.length - 1 - tail] === to[to.length - 1 - tail]) tail += 1;
  return { from: head, to: from.length - tail, insert: to.slice(head, to.length - tail) };
}
