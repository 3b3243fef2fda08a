import { defineStore } from 'pinia';
import { computed, onScopeDispose, ref, shallowRef, watch } from 'vue';
import { isJsonObject } from '../../../../proto/config/text/text-entries.ts';
import { followStream } from '../../../shared/machine/rpc/follow-stream.ts';
import { useMachine } from '../../../shared/machine/machine.ts';
import type { ConfigDocument, Problem } from '../../../shared/machine/machine-view.ts';
import { useDraftChanges } from '../../../shared/stores/draft-changes.ts';
import { useDraftText } from '../../../shared/stores/draft-text.ts';
import type { TextChange } from '../../../shared/text-change.ts';
import { Turns } from '../../../shared/timing/turns.ts';
import { useText } from '../../../shared/text.ts';
import { useApplyFlow } from './apply-flow.ts';
import {
  discarded,
  draftOf,
  edited,
  keptMine,
  merged,
  received,
  restored,
  returned,
  tookTheirs,
} from './config-draft.ts';
import { documentChanges } from './editing/document-changes.ts';
import {
  draftResourcesOf,
  emptyModel,
  findEntry,
  modulesOf,
  type DocumentEntry,
  type Reference,
} from './document-model.ts';
import { useDraftEditing } from './editing/draft-editing.ts';
import { useDraftKeeping } from './draft-keeping.ts';
import { setValue } from './editing/document-edits.ts';
import { useDraftPreview } from './draft-preview.ts';
import { useEntryEdits } from './editing/entry-edits.ts';
import { spelledAt } from './editing/spelled-at.ts';
import { mergeTexts, type Side } from './merging/merge-texts.ts';
import { findReferences } from './references.ts';
import { placesOf, resourcePlaces, type ResourcePlace } from './resource-places.ts';
import { useTextCheck } from './text-check.ts';
import { useWaitingFlow } from './waiting-flow.ts';

export type { ApplyNotice, Attempt, Review } from './apply-flow.ts';

/**
 * The configuration: the applied text, and the draft with its model, history,
 * problems and plan. Every change goes through this store; the form and the
 * JSON editor are two views of it.
 */
export const useConfigDocument = defineStore('config-document', () => {
  const machine = useMachine();
  const t = useText();
  const document = shallowRef<ConfigDocument>();
  const streamProblem = ref('');
  const wasRestored = ref(false);

  const editing = useDraftEditing(t, () => {
    flow.notice.value = undefined;
    wasRestored.value = false;
  });
  const { draft, text, settled, hasChanges } = editing;
  const check = useTextCheck(machine, editing);
  const { flow, observe } = useApplyFlow(machine, editing, {
    refused: check.refused,
    conflict: (theirs) => receive({ ...(document.value ?? emptyDocument), ...theirs }),
  });
  const keeping = useDraftKeeping(
    draft,
    () => (flow.attempt.value?.endedAt === undefined ? flow.attempt.value : undefined),
    // The file path is part of the name: another machine at this address must not get this machine's draft.
    () => `${window.location.host}${window.location.search} ${document.value?.path ?? ''}`,
  );

  function receive(next: ConfigDocument): void {
    if (draft.value !== undefined) editing.replace(received(draft.value, next), t('history.elsewhere'));
  }

  function take(next: ConfigDocument): void {
    document.value = next;
    const isOwnReturn = observe(next);
    if (draft.value !== undefined) {
      const leftText = next.result?.returnedText ?? '';
      if (isOwnReturn) editing.replace(returned(draft.value, next, leftText), t('history.elsewhere'));
      else receive(next);
      return;
    }
    const stored = keeping.load();
    editing.replace(stored === undefined ? draftOf(next) : restored(stored, next), '');
    wasRestored.value = hasChanges.value;
  }

  onScopeDispose(
    followStream({
      connection: machine.connection,
      open: async function* (signal) {
        // When the first configuration comes, this window must already know which draft is its own.
        await keeping.open();
        for await (const next of machine.config.watch(signal)) {
          if (draft.value === undefined) {
            // In a task of its own: a large text takes as long to read as to show.
            editing.readText(next.text);
            await new Turns().pass();
          }
          yield next;
        }
      },
      onItem: take,
      onProblem: (message) => (streamProblem.value = message),
    }),
  );

  const model = computed(() => settled.value.model);
  const isFormStale = computed(() => settled.value.broken !== undefined);
  const appliedText = computed(() => draft.value?.base.text ?? '');
  const applied = computed(() => {
    const read = editing.readText(appliedText.value);
    return read.kind === 'read' ? read.model : undefined;
  });
  // If the applied text does not parse, the draft is compared with itself: no changes.
  const changes = computed(() => documentChanges(applied.value ?? model.value, model.value));
  const entryEdits = useEntryEdits(editing, t);
  const draftChanges = useDraftChanges();
  const draftResources = computed(() => draftResourcesOf(model.value));
  useDraftText().offer({
    get text() {
      return text.value;
    },
    get hasChanges() {
      return hasChanges.value;
    },
    get modules() {
      return modulesOf(model.value);
    },
    get resources() {
      return draftResources.value;
    },
    get root() {
      return model.value.root;
    },
    get appliedRoot() {
      return applied.value?.root;
    },
    get problems() {
      return check.problems.value;
    },
    spelledAt: (path) => (isFormStale.value ? '' : spelledAt(text.value, path)),
    set: (path, value, label) => entryEdits.set([...path], value, label),
    withEdits(edits) {
      editing.settle();
      if (isFormStale.value) return text.value;
      return edits.reduce((before, { path, value }) => setValue(before, path, value), text.value);
    },
    preview: useDraftPreview(machine, () => applied.value, t),
    get whyClosed() {
      if (draft.value === undefined) return 'notRead';
      if (document.value?.isReadOnly === true) return 'readOnly';
      return isFormStale.value ? 'broken' : undefined;
    },
    addModule: (entry, label) => entryEdits.addEntry('modules', entry, label),
    attributesOf: (fullName) => attributesIn(findEntry(model.value, fullName)),
    setAttribute(fullName, name, value, label) {
      const entry = findEntry(model.value, fullName);
      if (entry !== undefined) entryEdits.setAttributes(entry, { ...attributesIn(entry), [name]: value }, label);
    },
    replace: (next, label) => void (draft.value && editing.replace(edited(draft.value, next), label)),
  });
  watch(
    changes,
    ({ changes: changed, removed }) =>
      draftChanges.set([...changed.keys(), ...removed.map(({ fullName }) => fullName)]),
    { immediate: true, flush: 'sync' },
  );
  const places = computed(() =>
    isFormStale.value ? resourcePlaces(settled.value.text) : placesOf(settled.value.model),
  );
  const merge = computed(() => {
    if (draft.value?.theirs === undefined) return undefined;
    return mergeTexts(draft.value.base.text, settled.value.text, draft.value.theirs.text);
  });

  const mergedNames = shallowRef<readonly string[]>([]);
  const isLayoutDropped = ref(false);
  watch(hasChanges, (isDirty) => {
    if (!isDirty) mergedNames.value = [];
  });

  /** Merges my changes into their text, once each conflict has a choice. */
  function mergeTheirs(choices: ReadonlyMap<string, Side>): void {
    editing.settle();
    const { value: now } = draft;
    const found = merge.value;
    if (now?.theirs === undefined || found === undefined) return;
    if (found.conflicts.some(({ key }) => !choices.has(key))) return;
    const texts = { base: now.base.text, mine: now.text, theirs: now.theirs.text };
    const before = mergedNames.value;
    editing.replaceByMerge(merged(now, found.result(new Map())), texts);
    // The choices are an undo step of their own.
    const chosen = found.result(choices);
    if (draft.value !== undefined) editing.replace(edited(draft.value, chosen), t('history.chosen'));
    mergedNames.value = hasChanges.value ? [...new Set([...before, ...found.theirChanges])] : [];
    isLayoutDropped.value = found.dropsLayout;
  }
  // Without conflicts the merge needs no question.
  watch(merge, (found) => {
    if (found?.conflicts.length === 0) mergeTheirs(new Map());
  });

  return {
    document,
    draft,
    text,
    hasChanges,
    streamProblem,
    isDraftKept: keeping.isKept,
    wasRestored,

    /** Of the last text that parsed; updated at each pause in typing. */
    model,
    /** The text does not parse, and `model` is of an earlier text: forms show it but change nothing. */
    isFormStale,
    /** Where and why the text does not parse: "Line 12: A comma is missing before "x"."; '' if it parses. */
    staleReason: computed(() => {
      const { broken } = settled.value;
      return broken === undefined ? '' : t('history.broken', { line: broken.line, reason: broken.message });
    }),
    entry: (name: string): DocumentEntry | undefined => findEntry(model.value, name),
    /** The entry in the applied configuration. */
    appliedEntry: (name: string): DocumentEntry | undefined => findEntry(applied.value ?? emptyModel, name),
    /** How the draft differs from the applied configuration; spacing and order do not count. */
    changeOf: (fullName: string): 'added' | 'changed' | undefined => changes.value.changes.get(fullName),
    removedEntries: computed(() => changes.value.removed),
    isReordered: computed(() => changes.value.isReordered),
    /** The references to a resource by its full or short name; `newName` is what a rename would write. */
    references: (name: string, newName?: string): readonly Reference[] => findReferences(model.value, name, newName),
    ...entryEdits,

    /** Typed text; see `DraftEditing.type`. */
    edit: (next: string, change?: TextChange, isTyping?: boolean): void => editing.type(next, change, isTyping),
    /** Formats the text; says so if it is formatted already or does not parse. */
    format: editing.format,
    undo: editing.undo,
    redo: editing.redo,
    canUndo: editing.canUndo,
    canRedo: editing.canRedo,
    undoLabel: editing.undoLabel,
    redoLabel: editing.redoLabel,
    /** Where the last undo or redo changed the text: the open view scrolls there. */
    changedPlace: editing.place,

    /** Positions of the resources in the text at the last pause in typing. */
    places,
    /** Position of a resource in the current text. */
    placeOf(name: string): ResourcePlace | undefined {
      editing.settle();
      return places.value.find((place) => place.name === name);
    },

    problems: check.problems,
    errors: check.errors,
    isChecked: check.isChecked,
    isKnownWrong: check.isKnownWrong,
    checkFailure: check.failure,
    plan: check.plan,
    /** Problems at a pointer or below it. */
    problemsUnder: (pointer: string): readonly Problem[] =>
      check.problems.value.filter(
        (problem) => problem.pointer === pointer || problem.pointer.startsWith(`${pointer}/`),
      ),

    ...flow,
    ...useWaitingFlow(machine, document),

    /** Makes the rolled-back text the draft; undo brings the previous draft back. */
    takeReturned(): void {
      const leftText = flow.returned.value?.returnedText;
      if (draft.value === undefined || leftText === undefined) return;
      editing.replace(edited(draft.value, leftText), t('trial.taking'));
    },
    discard: (): void => void (draft.value && editing.replace(discarded(draft.value), t('history.discarded'))),
    takeTheirs: (): void => void (draft.value && editing.replace(tookTheirs(draft.value), t('history.tookTheirs'))),
    keepMine: (): void => void (draft.value && editing.replace(keptMine(draft.value), '')),
    /** The merge with a newer text from elsewhere; undefined if there is none or one of the texts does not parse. */
    merge,
    mergeTheirs,
    /** Names of what was merged into the draft; empty once dismissed, or when the draft has no changes. */
    mergedNames,
    /** The merge lost some of my order of entries, or my spelling of values. */
    isLayoutDropped,
    dismissMergedNames: (): void => void (mergedNames.value = []),
  };
});

const emptyDocument: ConfigDocument = {
  text: '',
  revision: '',
  source: 'none',
  path: '',
  isReadOnly: false,
  result: undefined,
};

function attributesIn(entry: DocumentEntry | undefined): Readonly<Record<string, unknown>> | undefined {
  const attributes = entry?.value['attributes'];
  return isJsonObject(attributes) ? attributes : undefined;
}
