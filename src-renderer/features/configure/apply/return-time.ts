import { defineStore } from 'pinia';
import { ref } from 'vue';
import { keepText, keptText } from '../../../shared/kept-text.ts';

/** Times after which the machine may go back by itself, ms; 0 is never. */
export const returnTimes = [10_000, 30_000, 60_000, 300_000, 0] as const;
export type ReturnTime = (typeof returnTimes)[number];

const storageKey = 'armature.return-after';
const usual: ReturnTime = 30_000;

/** A kept choice; the usual one where there is none that is offered. */
function returnTimeOf(kept: string | null): ReturnTime {
  return returnTimes.find((time) => String(time) === kept) ?? usual;
}

/** After which time an applied configuration is left again, as chosen in this browser. */
export const useReturnTime = defineStore('return-time', () => {
  const ms = ref<ReturnTime>(returnTimeOf(keptText(() => localStorage, storageKey)));
  return {
    ms,
    choose(next: ReturnTime): void {
      ms.value = next;
      keepText(() => localStorage, storageKey, String(next));
    },
  };
});
