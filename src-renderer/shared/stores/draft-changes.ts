import { defineStore } from 'pinia';
import { shallowRef } from 'vue';

/**
 * The resources whose configuration was edited here and is not applied, by full
 * name. Configure fills it; Control does not move what is about to change.
 */
export const useDraftChanges = defineStore('draft-changes', () => {
  const names = shallowRef<ReadonlySet<string>>(new Set());
  return {
    names,
    /** Full names, all of them. */
    set: (changed: Iterable<string>): void => void (names.value = new Set(changed)),
    has: (fullName: string): boolean => names.value.has(fullName),
  };
});
