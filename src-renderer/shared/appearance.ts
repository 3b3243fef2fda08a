import { computed, ref, watchEffect, type ComputedRef, type InjectionKey, type Ref } from 'vue';
import { keepText, keptText } from './kept-text.ts';

export const themeChoices = ['light', 'dark', 'system'] as const;
export type ThemeChoice = (typeof themeChoices)[number];
export const densityChoices = ['comfortable', 'compact'] as const;
export type DensityChoice = (typeof densityChoices)[number];

/** Also read by `public/first-paint.js`, which sets both before anything is painted. */
const themeStorageKey = 'armature.theme';
const densityStorageKey = 'armature.density';

/** How this browser shows the page. */
export interface Appearance {
  readonly theme: Ref<ThemeChoice>;
  readonly shownTheme: ComputedRef<'light' | 'dark'>;
  readonly density: Ref<DensityChoice>;
}

export const appearanceKey: InjectionKey<Appearance> = Symbol('appearance');

/** The stored choice, or the fallback. */
function keptChoice<Choice extends string>(key: string, choices: readonly Choice[], fallback: Choice): Choice {
  const kept = keptText(() => localStorage, key);
  return choices.find((choice) => choice === kept) ?? fallback;
}

/** The page does not wait longer for its fonts: then text is drawn in those of the system until they are there. */
const FONT_WAIT_MS = 300;

/**
 * Loads the fonts of the page before text is drawn. Without them, the browser first asks the system for other fonts in
 * each size, and blocks the page for it: 50 ms on Linux.
 */
export async function loadFonts(): Promise<void> {
  const loads = ['Inter Variable', 'JetBrains Mono Variable'].map((name) => document.fonts.load(`1em "${name}"`));
  await Promise.race([Promise.allSettled(loads), new Promise((resolve) => setTimeout(resolve, FONT_WAIT_MS))]);
}

/** Applies theme and density to the document, now and whenever the choice or the system's theme changes. */
export function startAppearance(): Appearance {
  const system = window.matchMedia('(prefers-color-scheme: dark)');
  const isSystemDark = ref(system.matches);
  system.addEventListener('change', () => (isSystemDark.value = system.matches));
  const theme = ref(keptChoice(themeStorageKey, themeChoices, 'system'));
  const density = ref(keptChoice(densityStorageKey, densityChoices, 'comfortable'));
  const shownTheme = computed(() => {
    if (theme.value !== 'system') return theme.value;
    return isSystemDark.value ? 'dark' : 'light';
  });
  watchEffect(() => {
    document.documentElement.dataset['theme'] = shownTheme.value;
    keepText(() => localStorage, themeStorageKey, theme.value);
  });
  watchEffect(() => {
    document.documentElement.dataset['density'] = density.value;
    keepText(() => localStorage, densityStorageKey, density.value);
  });
  return { theme, shownTheme, density };
}
