import { defineStore } from 'pinia';
import { ref } from 'vue';

/** Which overlays of the shell are open. */
export const useShell = defineStore('shell', () => {
  const isPaletteOpen = ref(false);
  const isShortcutListOpen = ref(false);
  const isReadinessOpen = ref(false);
  return { isPaletteOpen, isShortcutListOpen, isReadinessOpen };
});
