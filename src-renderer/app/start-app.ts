import { createPinia } from 'pinia';
import { createApp } from 'vue';
import { fleetKey } from '../shared/machine/fleet.ts';
import { machineKey } from '../shared/machine/machine.ts';
import type { Page } from '../shared/machine/rpc/rpc-machine.ts';
import { installTexts } from '../shared/text.ts';
import { appearanceKey, type Appearance } from '../shared/appearance.ts';
import AppShell from './AppShell.vue';
import { createPages } from './router.ts';
import { signingKey } from '../shared/signing.ts';

/** Mounts the app for one machine and its fleet. */
export function startApp(page: Page, appearance: Appearance): void {
  const app = createApp(AppShell);
  app.provide(machineKey, page.machine);
  app.provide(fleetKey, page.fleet);
  app.provide(signingKey, page);
  app.provide(appearanceKey, appearance);
  installTexts(app);
  app.use(createPinia());
  app.use(createPages(page.fleet.isHubAlone));
  app.mount('#app');
}
