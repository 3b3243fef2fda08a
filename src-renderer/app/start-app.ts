import { createPinia } from 'pinia';
import { createApp } from 'vue';
import { machineKey, type Machine } from '../shared/machine/machine.ts';
import { installTexts } from '../shared/text.ts';
import { appearanceKey, type Appearance } from './appearance.ts';
import AppShell from './AppShell.vue';
import { createPages } from './router.ts';

/** Puts the page on the screen, for one machine. */
export function startApp(machine: Machine, appearance: Appearance): void {
  const app = createApp(AppShell);
  app.provide(machineKey, machine);
  app.provide(appearanceKey, appearance);
  installTexts(app);
  app.use(createPinia());
  app.use(createPages());
  app.mount('#app');
}
