import { defineStore } from 'pinia';
import { ref } from 'vue';

/** What the shell has open over the page. */
export const useShell = defineStore('shell', () => {
  const isPaletteOpen = ref(false);
  const isShortcutListOpen = ref(false);
  const isReadinessOpen = ref(false);
  return { isPaletteOpen, isShortcutListOpen, isReadinessOpen };
});
