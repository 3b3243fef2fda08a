import { defineStore } from 'pinia';
import { computed, shallowRef } from 'vue';

/** The text being edited, as screens other than the editor reach it. */
export interface DraftAccess {
  /** The draft; '' before the machine has said what is applied. */
  readonly text: string;
  readonly hasChanges: boolean;
  /** Replaces the draft as one step of its undo. */
  replace(text: string, label: string): void;
}

/** The draft that Configure keeps: it offers it here, and others read it or put a text in it. */
export const useDraftText = defineStore('draft-text', () => {
  const access = shallowRef<DraftAccess>();
  return {
    offer: (offered: DraftAccess): void => void (access.value = offered),
    text: computed(() => access.value?.text ?? ''),
    hasChanges: computed(() => access.value?.hasChanges ?? false),
    replace: (text: string, label: string): void => access.value?.replace(text, label),
  };
});
