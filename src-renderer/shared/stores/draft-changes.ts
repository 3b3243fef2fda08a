import { defineStore } from 'pinia';
import { shallowRef } from 'vue';

/**
 * Full names of the resources with edits that are not applied. Configure sets them;
 * Control does not move a resource that is about to change.
 */
export const useDraftChanges = defineStore('draft-changes', () => {
  const names = shallowRef<ReadonlySet<string>>(new Set());
  return {
    names,
    /** Replaces all names. */
    set: (changed: Iterable<string>): void => void (names.value = new Set(changed)),
    has: (fullName: string): boolean => names.value.has(fullName),
  };
});
