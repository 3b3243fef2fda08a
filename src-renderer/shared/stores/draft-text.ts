import { defineStore } from 'pinia';
import { computed, shallowRef } from 'vue';
import type { ConfigPlan, Problem } from '../machine/machine-view.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** Steps from the root of the document to a value. */
export type DraftPath = readonly (string | number)[];

/** A module of the draft. */
export interface DraftModule {
  readonly name: string;
  /** `namespace:name`; '' if it has none. */
  readonly moduleId: string;
  /** As written; '' if it has none. */
  readonly version: string;
}

/** A component or service of the draft. */
export interface DraftResource {
  readonly name: string;
  /** `core:component:camera/belt`. */
  readonly fullName: string;
  /** In canonical form: `core:component:camera`. */
  readonly api: string;
  /** In canonical form: `core:builtin:fake`. */
  readonly model: string;
  /** Path of its entry. */
  readonly path: DraftPath;
  readonly attributes: JsonObject;
  readonly isDisabled: boolean;
}

/** A value to set at a path, as in {@link DraftAccess.set}. */
export interface DraftEdit {
  readonly path: DraftPath;
  readonly value: unknown;
}

/** What the machine says about a text that is not applied. */
export interface DraftPreview {
  readonly problems: readonly Problem[];
  /** What applying it would do; undefined if an error prevents applying it. */
  readonly plan: ConfigPlan | undefined;
  /** What would not become ready, in a few words; '' if nothing is known to fail. */
  readonly unready: string;
}

/** Access to the draft for screens other than the editor. */
export interface DraftAccess {
  /** The draft; '' until the machine has sent its configuration. */
  readonly text: string;
  readonly hasChanges: boolean;
  readonly modules: readonly DraftModule[];
  readonly resources: readonly DraftResource[];
  /** Why the draft cannot be changed now; undefined if it can. */
  readonly whyClosed: 'notRead' | 'readOnly' | 'broken' | undefined;
  /** The value of the last text that parsed. */
  readonly root: JsonObject;
  /** The value of the applied text; undefined while that is unknown or does not parse. */
  readonly appliedRoot: JsonObject | undefined;
  /** Problems of the draft. */
  readonly problems: readonly Problem[];
  /** The text of the value at a path, without the indentation of its place; '' if there is none. */
  spelledAt(path: DraftPath): string;
  /**
   * Sets the value at a path; undefined removes it, and an index past the end of a list appends. Setting the same path
   * again within a second belongs to the same undo step.
   */
  set(path: DraftPath, value: unknown, label: string): void;
  /** Returns the draft with these edits applied in order, without changing it; a draft that does not parse as it is. */
  withEdits(edits: readonly DraftEdit[]): string;
  /** Asks the machine about a text. @throws {Error} with a sentence: no connection, or the text does not parse */
  preview(text: string): Promise<DraftPreview>;
  /** Replaces the draft, as one undo step. */
  replace(text: string, label: string): void;
  /** Appends a module, as one undo step. */
  addModule(entry: Record<string, unknown>, label: string): void;
  /** The attributes of a resource in the draft, by full name; undefined if it does not exist. */
  attributesOf(fullName: string): Readonly<Record<string, unknown>> | undefined;
  /** Sets one attribute of a resource, as one undo step; does nothing if the resource does not exist. */
  setAttribute(fullName: string, name: string, value: unknown, label: string): void;
}

const nothing: JsonObject = {};
const none: readonly Problem[] = [];
const noResources: readonly DraftResource[] = [];

/** The draft, which Configure keeps and offers here for other screens to read and change. */
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
