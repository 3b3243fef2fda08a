import { defineStore } from 'pinia';
import { ref } from 'vue';

/** A note goes away after this time. */
const shownMs = 6000;

/** One short sentence about what was just done in the list of resources. */
export const usePageNote = defineStore('configure-note', () => {
  const text = ref('');
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    text,
    say(sentence: string): void {
      text.value = sentence;
      clearTimeout(timer);
      timer = setTimeout(() => (text.value = ''), shownMs);
    },
  };
});
