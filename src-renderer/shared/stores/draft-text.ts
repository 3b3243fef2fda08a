import { defineStore } from 'pinia';
import { computed, shallowRef } from 'vue';

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
  /** Replaces the draft as one step of its undo. */
  replace(text: string, label: string): void;
  /** Puts a module last, as one step of its undo. */
  addModule(entry: Record<string, unknown>, label: string): void;
  /** The attributes of a resource in the draft, by full name; undefined where it is not there. */
  attributesOf(fullName: string): Readonly<Record<string, unknown>> | undefined;
  /** Sets one attribute of a resource, as one step of its undo; nothing where it is not there. */
  setAttribute(fullName: string, name: string, value: unknown, label: string): void;
}

/** The draft that Configure keeps: it offers it here, and others read it or put a text in it. */
export const useDraftText = defineStore('draft-text', () => {
  const access = shallowRef<DraftAccess>();
  return {
    offer: (offered: DraftAccess): void => void (access.value = offered),
    text: computed(() => access.value?.text ?? ''),
    hasChanges: computed(() => access.value?.hasChanges ?? false),
    modules: computed(() => access.value?.modules ?? []),
    whyClosed: computed(() => (access.value === undefined ? 'notRead' : access.value.whyClosed)),
    replace: (text: string, label: string): void => access.value?.replace(text, label),
    addModule: (entry: Record<string, unknown>, label: string): void => access.value?.addModule(entry, label),
    attributesOf: (fullName: string): Readonly<Record<string, unknown>> | undefined =>
      access.value?.attributesOf(fullName),
    setAttribute: (fullName: string, name: string, value: unknown, label: string): void =>
      access.value?.setAttribute(fullName, name, value, label),
  };
});
