import { defineStore } from 'pinia';
import { computed, shallowRef } from 'vue';
import type { Problem } from '../machine/machine-view.ts';

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

/** The text being edited, as screens other than the editor reach it. */
export interface DraftAccess {
  /** The draft; '' before the machine has said what is applied. */
  readonly text: string;
  readonly hasChanges: boolean;
  readonly modules: readonly DraftModule[];
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

/** The draft that Configure keeps: it offers it here, and others read it or put a text in it. */
export const useDraftText = defineStore('draft-text', () => {
  const access = shallowRef<DraftAccess>();
  return {
    offer: (offered: DraftAccess): void => void (access.value = offered),
    text: computed(() => access.value?.text ?? ''),
    hasChanges: computed(() => access.value?.hasChanges ?? false),
    modules: computed(() => access.value?.modules ?? []),
    whyClosed: computed(() => (access.value === undefined ? 'notRead' : access.value.whyClosed)),
    root: computed(() => access.value?.root ?? nothing),
    appliedRoot: computed(() => access.value?.appliedRoot),
    problems: computed(() => access.value?.problems ?? none),
    spelledAt: (path: DraftPath): string => access.value?.spelledAt(path) ?? '',
    set: (path: DraftPath, value: unknown, label: string): void => access.value?.set(path, value, label),
    replace: (text: string, label: string): void => access.value?.replace(text, label),
    addModule: (entry: Record<string, unknown>, label: string): void => access.value?.addModule(entry, label),
    attributesOf: (fullName: string): Readonly<Record<string, unknown>> | undefined =>
      access.value?.attributesOf(fullName),
    setAttribute: (fullName: string, name: string, value: unknown, label: string): void =>
      access.value?.setAttribute(fullName, name, value, label),
  };
});
