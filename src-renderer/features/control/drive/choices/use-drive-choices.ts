import { defineStore } from 'pinia';
import { computed, ref, shallowRef, watch } from 'vue';
import { keepText, keptText } from '../../../../shared/kept-text.ts';
import { useMachineKey } from '../../../../shared/stores/machine-key.ts';
import { choicesFrom, firstChoices, type DriveChoices } from './drive-choices.ts';

/** What drives what on this machine, and whether the panel is open; kept in this browser. */
export const useDriveChoices = defineStore('drive-choices', () => {
  const key = useMachineKey('armature.drive');
  const openKey = useMachineKey('armature.drive-open');
  const choices = shallowRef<DriveChoices>(firstChoices);
  const isOpen = ref(false);
  watch(key, (now) => (choices.value = now === undefined ? firstChoices : choicesFrom(read(now))), { immediate: true });
  watch(openKey, (now) => (isOpen.value = now !== undefined && read(now) === 'yes'), { immediate: true });

  function read(name: string): string | null {
    return keptText(() => localStorage, name);
  }

  return {
    choices,
    isOpen,
    /** False until it is known which machine the page is about: until then nothing is kept. */
    isKnown: computed(() => key.value !== undefined),
    change(part: Partial<DriveChoices>): void {
      choices.value = { ...choices.value, ...part };
      if (key.value !== undefined) keepText(() => localStorage, key.value, JSON.stringify(choices.value));
    },
    open(isWanted: boolean): void {
      isOpen.value = isWanted;
      if (openKey.value !== undefined) keepText(() => localStorage, openKey.value, isWanted ? 'yes' : null);
    },
  };
});
