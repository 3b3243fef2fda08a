import { defineStore } from 'pinia';
import { computed, ref } from 'vue';
import { keepText, keptText } from '../kept-text.ts';
import { useFleet } from './fleet.ts';

/** Times after which the machine may go back by itself, ms; 0 is never. */
export const returnTimes = [10_000, 30_000, 60_000, 300_000, 0] as const;
export type ReturnTime = (typeof returnTimes)[number];

const storageKey = 'armature.return-after';
const usual: ReturnTime = 30_000;

/** A kept choice; the usual one where there is none that is offered. */
function returnTimeOf(kept: string | null): ReturnTime {
  return returnTimes.find((time) => String(time) === kept) ?? usual;
}

/** After which time an applied configuration is rolled back, as chosen in this browser. */
export const useReturnTime = defineStore('return-time', () => {
  const fleet = useFleet();
  const chosen = ref<ReturnTime>(returnTimeOf(keptText(() => localStorage, storageKey)));
  const isPossible = computed(() => !fleet.isAway);
  return {
    /** False while the machine is away: nobody sees then whether anything becomes ready. */
    isPossible,
    /** What holds now; 0 while it is not possible. */
    ms: computed((): ReturnTime => (isPossible.value ? chosen.value : 0)),
    choose(next: ReturnTime): void {
      chosen.value = next;
      keepText(() => localStorage, storageKey, String(next));
    },
  };
});
