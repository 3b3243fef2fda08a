import { closeBrackets, closeBracketsKeymap } from '@codemirror/autocomplete';
import { defaultKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { bracketMatching, indentOnInput, indentUnit } from '@codemirror/language';
import { EditorState, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, highlightSpecialChars, keymap } from '@codemirror/view';
import { editorTheme } from './editor-theme.ts';

/**
 * The extensions of every JSON editor. Tab is not bound, so that the keyboard can
 * leave the editor. There is no undo history: the user of the editor adds one.
 */
export function editorBase(label: string): Extension {
  return [
    highlightSpecialChars(),
    drawSelection(),
    indentOnInput(),
    indentUnit.of('  '),
    bracketMatching(),
    closeBrackets(),
    json(),
    editorTheme,
    EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', tabindex: '0' }),
    keymap.of([...closeBracketsKeymap, ...defaultKeymap]),
  ];
}

/** Whether the text may be changed. It can be read and selected either way. */
export function editAccess(isReadOnly: boolean): Extension {
  return [
    EditorState.readOnly.of(isReadOnly),
    EditorView.contentAttributes.of(isReadOnly ? { 'aria-readonly': 'true' } : {}),
  ];
}

/**
 * Opens an editor in `host`. In a shadow root it adopts its style sheets instead
 * of writing style tags, so the page's policy needs no 'unsafe-inline'.
 */
export function openEditor(host: HTMLElement, text: string, extensions: Extension): EditorView {
  const root = host.attachShadow({ mode: 'open' });
  return new EditorView({ root, parent: root, state: EditorState.create({ doc: text, extensions }) });
}
