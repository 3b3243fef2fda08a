import { defineStore } from 'pinia';
import { computed, ref } from 'vue';
import { keepText, keptText } from '../kept-text.ts';
import { useFleet } from './fleet.ts';

/** Choices for the time after which the machine rolls back by itself, ms; 0 for never. */
export const returnTimes = [10_000, 30_000, 60_000, 300_000, 0] as const;
export type ReturnTime = (typeof returnTimes)[number];

const storageKey = 'armature.return-after';
const DEFAULT_RETURN_TIME_MS: ReturnTime = 30_000;

/** The stored choice, or the default if there is none or it is not offered. */
function returnTimeOf(kept: string | null): ReturnTime {
  return returnTimes.find((time) => String(time) === kept) ?? DEFAULT_RETURN_TIME_MS;
}

/** The time after which an applied configuration is rolled back, as chosen in this browser. */
export const useReturnTime = defineStore('return-time', () => {
  const fleet = useFleet();
  const chosen = ref<ReturnTime>(returnTimeOf(keptText(() => localStorage, storageKey)));
  const isPossible = computed(() => !fleet.isAway);
  return {
    /** False while the machine is offline: then nobody sees whether everything becomes ready. */
    isPossible,
    /** The time that applies now; 0 while it is not possible. */
    ms: computed((): ReturnTime => (isPossible.value ? chosen.value : 0)),
    choose(next: ReturnTime): void {
      chosen.value = next;
      keepText(() => localStorage, storageKey, String(next));
    },
  };
});
