import { foldGutter, foldKeymap, syntaxTree } from '@codemirror/language';
import { lintGutter, lintKeymap, type Diagnostic } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { Transaction, type EditorState, type Extension, type Text } from '@codemirror/state';
import { highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers, type ViewUpdate } from '@codemirror/view';
import type { Problem } from '../../../../proto/config/problem.ts';
import { editorBase } from '../../../shared/json-editor/editor-base.ts';
import type { TextChange } from '../../../shared/text-change.ts';

/** The extensions of the configuration editor. Undo and redo are those of the draft, not of CodeMirror. */
export function editorExtensions(label: string, undo: () => void, redo: () => void): Extension {
  const of = (run: () => void) => (): boolean => {
    run();
    return true;
  };
  return [
    lineNumbers(),
    foldGutter(),
    lintGutter(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    highlightSelectionMatches(),
    search({ top: true }),
    keymap.of([
      { key: 'Mod-z', run: of(undo), preventDefault: true },
      { key: 'Mod-Shift-z', run: of(redo), preventDefault: true },
      { key: 'Mod-y', run: of(redo), preventDefault: true },
      ...searchKeymap,
      ...foldKeymap,
      ...lintKeymap,
    ]),
    editorBase(label),
  ];
}

/** An update as one change, from the first to the last difference. */
export function changeOf(update: ViewUpdate): TextChange {
  let [from, toBefore, toAfter] = [update.startState.doc.length, 0, 0];
  update.changes.iterChangedRanges((fromA, toA, _fromB, toB) => {
    from = Math.min(from, fromA);
    toBefore = Math.max(toBefore, toA);
    toAfter = Math.max(toAfter, toB);
  });
  return {
    from,
    removed: update.startState.doc.sliceString(from, toBefore),
    inserted: update.state.doc.sliceString(from, toAfter),
  };
}

/** Whether an update inserts or deletes single characters by typing; pasting and moving text do not count. */
export function isTyping(update: ViewUpdate): boolean {
  return update.transactions.every((transaction) => {
    const event = transaction.annotation(Transaction.userEvent) ?? '';
    return /^(input\.type|delete\.(backward|forward))\b/.test(event) || !transaction.docChanged;
  });
}

/**
 * The offset of a line and column (both from 1, as in problems).
 * A place past the end of a line or of the text is its end; line 0 (unknown) is the start.
 */
export function offsetOf(doc: Text, line: number, column: number): number {
  if (line < 1) return 0;
  if (line > doc.lines) return doc.length;
  const { from, to } = doc.line(line);
  return Math.min(from + Math.max(column - 1, 0), to);
}

/** Problems as diagnostics of the editor: marked under the word at their place, or else under the line. */
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
