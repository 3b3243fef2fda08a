import { defineStore } from 'pinia';
import { computed, shallowRef } from 'vue';
import type { ConfigPlan, Problem } from '../machine/machine-view.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** Steps from the root of the document to a value. */
export type DraftPath = readonly (string | number)[];

/** A module of the draft. */
export interface DraftModule {
  readonly name: string;
  /** `namespace:name`; '' where it names none. */
  readonly moduleId: string;
  /** As written; '' where it is not. */
  readonly version: string;
}

/** A component or service of the draft. */
export interface DraftResource {
  readonly name: string;
  /** `core:component:camera/belt`. */
  readonly fullName: string;
  /** In our spelling: `core:component:camera`. */
  readonly api: string;
  /** In our spelling: `core:builtin:fake`. */
  readonly model: string;
  /** Of its entry. */
  readonly path: DraftPath;
  readonly attributes: JsonObject;
  readonly isDisabled: boolean;
}

/** A value that is set at a path, as {@link DraftAccess.set} does it. */
export interface DraftEdit {
  readonly path: DraftPath;
  readonly value: unknown;
}

/** What the machine says of a text that nobody applied. */
export interface DraftPreview {
  readonly problems: readonly Problem[];
  /** What applying it would do; undefined where an error keeps it from being applied. */
  readonly plan: ConfigPlan | undefined;
  /** What of it would not be ready, in a few words; '' where nothing is known to stay behind. */
  readonly unready: string;
}

/** The text being edited, as screens other than the editor reach it. */
export interface DraftAccess {
  /** The draft; '' before the machine has said what is applied. */
  readonly text: string;
  readonly hasChanges: boolean;
  readonly modules: readonly DraftModule[];
  readonly resources: readonly DraftResource[];
  /** Why nothing can be added to it now. */
  readonly whyClosed: 'notRead' | 'readOnly' | 'broken' | undefined;
  /** What the last text that parsed says. */
  readonly root: JsonObject;
  /** What is applied says; undefined while that is not known, or does not parse. */
  readonly appliedRoot: JsonObject | undefined;
  /** What is wrong with the draft. */
  readonly problems: readonly Problem[];
  /** The value at a path as it is written there, without the indentation of its place; '' where there is none. */
  spelledAt(path: DraftPath): string;
  /**
   * Sets the value at a path; undefined removes it, and an index past the end of a list is put last. The same path again
   * within a second is the same step of its undo.
   */
  set(path: DraftPath, value: unknown, label: string): void;
  /** The draft with these changes, one after the other; nothing is changed by it. While it is broken, it as it is. */
  withEdits(edits: readonly DraftEdit[]): string;
  /** Asks the machine about a text. @throws {Error} a sentence: no link, or the text does not parse */
  preview(text: string): Promise<DraftPreview>;
  /** Replaces the draft as one step of its undo. */
  replace(text: string, label: string): void;
  /** Puts a module last, as one step of its undo. */
  addModule(entry: Record<string, unknown>, label: string): void;
  /** The attributes of a resource in the draft, by full name; undefined where it is not there. */
  attributesOf(fullName: string): Readonly<Record<string, unknown>> | undefined;
  /** Sets one attribute of a resource, as one step of its undo; nothing where it is not there. */
  setAttribute(fullName: string, name: string, value: unknown, label: string): void;
}

const nothing: JsonObject = {};
const none: readonly Problem[] = [];
const noResources: readonly DraftResource[] = [];

/** The draft that Configure keeps: it offers it here, and others read it or put a text in it. */
export const useDraftText = defineStore('draft-text', () => {
  const access = shallowRef<DraftAccess>();
  return {
    offer: (offered: DraftAccess): void => void (access.value = offered),
    text: computed(() => access.value?.text ?? ''),
    hasChanges: computed(() => access.value?.hasChanges ?? false),
    modules: computed(() => access.value?.modules ?? []),
    resources: computed(() => access.value?.resources ?? noResources),
    whyClosed: computed(() => (access.value === undefined ? 'notRead' : access.value.whyClosed)),
    root: computed(() => access.value?.root ?? nothing),
    appliedRoot: computed(() => access.value?.appliedRoot),
    problems: computed(() => access.value?.problems ?? none),
    spelledAt: (path: DraftPath): string => access.value?.spelledAt(path) ?? '',
    set: (path: DraftPath, value: unknown, label: string): void => access.value?.set(path, value, label),
    withEdits: (edits: readonly DraftEdit[]): string => access.value?.withEdits(edits) ?? '',
    preview: (text: string): Promise<DraftPreview> =>
      access.value?.preview(text) ?? Promise.reject(new Error('The configuration is not known yet.')),
    replace: (text: string, label: string): void => access.value?.replace(text, label),
    addModule: (entry: Record<string, unknown>, label: string): void => access.value?.addModule(entry, label),
    attributesOf: (fullName: string): Readonly<Record<string, unknown>> | undefined =>
      access.value?.attributesOf(fullName),
    setAttribute: (fullName: string, name: string, value: unknown, label: string): void =>
      access.value?.setAttribute(fullName, name, value, label),
  };
});
