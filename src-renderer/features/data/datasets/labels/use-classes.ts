import { computed, ref, type Ref } from 'vue';
import { keepText, keptText } from '../../../../shared/kept-text.ts';
import { classOrder, keptClasses } from './label-classes.ts';

/** The classes of a dataset, of boxes or of whole pictures. Their order stays, because people learn the digits. */
export function useClasses(datasetId: string, kind: 'boxes' | 'tags', found: Ref<readonly string[]>) {
  const key = `armature.classes.${kind}.${datasetId}`;
  const storage = (): Storage => localStorage;
  const kept = ref(keptClasses(keptText(storage, key)));
  const classes = computed(() => classOrder(kept.value, found.value));

  /** Adds a class at the end; an existing one keeps its place. */
  function add(name: string): void {
    kept.value = classOrder(classes.value, [name]);
    keepText(storage, key, JSON.stringify(kept.value));
  }

  return { classes, add };
}
