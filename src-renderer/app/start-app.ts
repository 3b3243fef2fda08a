import { createPinia } from 'pinia';
import { createApp } from 'vue';
import { machineKey, type Machine } from '../shared/machine/machine.ts';
import { installTexts } from '../shared/text.ts';
import AppShell from './AppShell.vue';
import { createPages } from './router.ts';
import { themeKey, type Theme } from './theme.ts';

/** Puts the page on the screen, for one machine. */
export function startApp(machine: Machine, theme: Theme): void {
  const app = createApp(AppShell);
  app.provide(machineKey, machine);
  app.provide(themeKey, theme);
  installTexts(app);
  app.use(createPinia());
  app.use(createPages());
  app.mount('#app');
}
