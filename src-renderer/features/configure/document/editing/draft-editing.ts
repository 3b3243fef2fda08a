import { computed, shallowRef } from 'vue';
import { formatJson } from '../../../../shared/json-format/format-json.ts';
import { changeBetween, withChange, type TextChange } from '../../../../shared/text-change.ts';
import type { Text } from '../../../../shared/text.ts';
import { edited, isDirty, type ConfigDraft } from '../config-draft.ts';
import { documentReader, emptyModel, type DocumentModel } from '../document-model.ts';
import { mergeTexts } from '../merging/merge-texts.ts';
import { styleOf } from './json-style.ts';
import { emptyHistory, lastOwnStep, recorded, redone, undoLast, type MergedTexts } from './undo-history.ts';

/** A longer pause in typing begins a new undo step. */
const typingPauseMs = 500;
/** Changes of one field within this time join into one undo step. */
const sameFieldMs = 1000;

/** How a change is recorded in the history. */
export interface StepKind {
  readonly label: string;
  /** As in `UndoStep`. */
  readonly group?: string;
  readonly joinMs?: number;
}

/** Where the last undo or redo changed the text: views scroll there. `count` tells one change from the next. */
export interface ChangedPlace {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** The text that was last parsed: forms and lists show it, a moment after typing. */
interface Settled {
  readonly text: string;
  /** Of the last text that parsed. */
  readonly model: DocumentModel;
  /** Why this text does not parse; undefined if it parses. */
  readonly broken: { readonly message: string; readonly line: number } | undefined;
}

/** The draft, its undo history and its model. Every change of the text goes through here. */
export function useDraftEditing(t: Text, onEdit: () => void) {
  const draft = shallowRef<ConfigDraft>();
  const history = shallowRef(emptyHistory);
  const settled = shallowRef<Settled>({ text: '', model: emptyModel, broken: undefined });
  const place = shallowRef<ChangedPlace>();
  const text = computed(() => draft.value?.text ?? '');
  const readText = documentReader();

  /** Parses the current text. Called at each pause in typing, and by everything that needs the model at once. */
  function settle(): Settled {
    if (settled.value.text !== text.value) {
      const read = readText(text.value);
      settled.value =
        read.kind === 'read'
          ? { text: text.value, model: read.model, broken: undefined }
          : { text: text.value, model: settled.value.model, broken: { message: read.message, line: read.line } };
    }
    return settled.value;
  }

  function record(change: TextChange, { label, group = '', joinMs = 0 }: StepKind, merge?: MergedTexts): void {
    const step = { ...change, label, group, at: Date.now(), ...(merge && { merge }) };
    history.value = recorded(history.value, step, joinMs);
  }

  /** Replaces the draft after an event other than an edit; a difference in its text is an undo step like any other. */
  function replace(next: ConfigDraft, label: string): void {
    const before = draft.value;
    draft.value = next;
    if (before !== undefined && before.text !== next.text) record(changeBetween(before.text, next.text), { label });
    settle();
  }

  /** Replaces the draft by a merge with others' changes. The merge cannot be undone, but the steps before it can. */
  function replaceByMerge(next: ConfigDraft, merge: MergedTexts): void {
    record(changeBetween(merge.mine, next.text), { label: '' }, merge);
    draft.value = next;
    settle();
  }

  function write(next: string, kind: StepKind, change?: TextChange): void {
    const before = draft.value;
    if (before === undefined || next === before.text) return;
    record(change ?? changeBetween(before.text, next), kind);
    draft.value = edited(before, next);
    onEdit();
  }

  /** Edits the text by its model; does nothing while the text does not parse. */
  function edit(transform: (text: string, model: DocumentModel) => string, kind: StepKind): void {
    editAt((before, model) => changeBetween(before, transform(before, model)), kind);
  }

  /** The same for a change at a known place. */
  function editAt(changeOf: (text: string, model: DocumentModel) => TextChange | undefined, kind: StepKind): void {
    const { model, broken } = settle();
    if (draft.value === undefined || broken !== undefined) return;
    const change = changeOf(text.value, model);
    if (change === undefined) return;
    write(withChange(text.value, change), kind, change);
    settle();
  }

  /** Formats the text as one undo step, with its own indentation if it has any. */
  function format(): 'formatted' | 'already' | 'broken' {
    const { broken } = settle();
    if (draft.value === undefined || broken !== undefined) return 'broken';
    const next = formatJson(text.value, styleOf(text.value, ''));
    if (next === text.value) return 'already';
    write(next, { label: t('history.formatted') });
    settle();
    return 'formatted';
  }

  function go(next: string, from: number, length: number): void {
    if (draft.value === undefined) return;
    draft.value = edited(draft.value, next);
    onEdit();
    settle();
    place.value = { from, to: from + length, count: (place.value?.count ?? 0) + 1 };
  }

  function undo(): void {
    const back = undoLast(history.value, text.value, ({ base, mine, theirs }) =>
      mergeTexts(base, mine, theirs)?.result(new Map()),
    );
    if (back === undefined) return;
    history.value = back.history;
    go(back.text, back.step.from, back.step.removed.length);
  }

  function redo(): void {
    const step = history.value.undone.at(-1);
    if (step === undefined) return;
    history.value = redone(history.value);
    go(withChange(text.value, step), step.from, step.inserted.length);
  }

  return {
    draft,
    text,
    settled,
    place,
    settle,
    /** Parses a text; returns the cached model for the text that was read last. */
    readText,
    replace,
    replaceByMerge,
    edit,
    format,
    editAt,
    hasChanges: computed(() => draft.value !== undefined && isDirty(draft.value)),
    /** Takes typed text; `change` is the difference, if known. Keys typed without a pause are one undo step. */
    type(next: string, change?: TextChange, isTyping = true): void {
      const group = isTyping ? 'typing' : '';
      const label = isTyping ? t('history.typing') : t('history.text');
      write(next, { label, group, joinMs: typingPauseMs }, change);
    },
    /** Edits one field; `field` identifies it, so that quick changes of it join into one undo step. */
    editField(field: string, label: string, transform: (text: string) => string): void {
      edit(transform, { label, group: `field ${field}`, joinMs: sameFieldMs });
    },
    undo,
    redo,
    undoLabel: computed(() => lastOwnStep(history.value)?.label ?? ''),
    redoLabel: computed(() => history.value.undone.at(-1)?.label ?? ''),
    canUndo: computed(() => lastOwnStep(history.value) !== undefined),
    canRedo: computed(() => history.value.undone.length > 0),
  };
}

export type DraftEditing = ReturnType<typeof useDraftEditing>;
