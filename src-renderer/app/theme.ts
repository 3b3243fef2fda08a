import { computed, ref, watchEffect, type ComputedRef, type InjectionKey, type Ref } from 'vue';
import { keepText, keptText } from '../shared/kept-text.ts';

export type ThemeChoice = 'light' | 'dark' | 'system';

const storageKey = 'armature.theme';

export interface Theme {
  readonly choice: Ref<ThemeChoice>;
  readonly shown: ComputedRef<'light' | 'dark'>;
}

export const themeKey: InjectionKey<Theme> = Symbol('theme');

/** The choice as stored; anything else is `system`. */
function themeChoiceOf(stored: string | null): ThemeChoice {
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

/** Applies the chosen theme to the document, now and on each change of the choice or of the system's. */
export function startTheme(): Theme {
  const system = window.matchMedia('(prefers-color-scheme: dark)');
  const isSystemDark = ref(system.matches);
  system.addEventListener('change', () => (isSystemDark.value = system.matches));
  const choice = ref<ThemeChoice>(themeChoiceOf(keptText(() => localStorage, storageKey)));
  const shown = computed(() => {
    if (choice.value !== 'system') return choice.value;
    return isSystemDark.value ? 'dark' : 'light';
  });
  watchEffect(() => {
    document.documentElement.dataset['theme'] = shown.value;
    keepText(() => localStorage, storageKey, choice.value);
  });
  return { choice, shown };
}
