import { createRouter, createWebHashHistory, type Router } from 'vue-router';

/** The screens. Addresses are behind `#/`, so that any file server and any window can open them. */
export function createPages(isHubAlone: boolean): Router {
  // A hub has no machine of its own to show first.
  const first = isHubAlone ? '/fleet' : '/configure';
  const router = createRouter({
    history: createWebHashHistory(),
    routes: [
      { path: '/', redirect: first },
      {
        path: '/configure',
        component: () => import('../features/configure/ConfigurePage.vue'),
        // Addresses within one screen: it stays, with its list and its editor, while they change.
        children: [
          { path: '', name: 'configure', components: {} },
          { path: 'machine', name: 'configure-machine', components: {} },
          { path: 'resource/:name', name: 'configure-resource', components: {} },
        ],
      },
      { path: '/control', name: 'control', component: () => import('../features/control/ControlPage.vue') },
      { path: '/logs', name: 'logs', component: () => import('../features/logs/LogsPage.vue') },
      { path: '/history', name: 'history', component: () => import('../features/history/HistoryPage.vue') },
      { path: '/overview', name: 'overview', component: () => import('../features/overview/OverviewPage.vue') },
      { path: '/fleet', name: 'fleet', component: () => import('../features/fleet/FleetPage.vue') },
      { path: '/registry', name: 'registry', component: () => import('../features/registry/RegistryPage.vue') },
      { path: '/settings', name: 'settings', component: () => import('../features/settings/SettingsPage.vue') },
      { path: '/:rest(.*)*', redirect: first },
    ],
  });
  followEarlyAddress(router);
  return router;
}

/** The router hears of another address only once its first screen is there: one that is gone to before is not forgotten. */
function followEarlyAddress(router: Router): void {
  let address: string | undefined;
  const note = (): void => void (address = location.hash.slice(1));
  addEventListener('hashchange', note);
  void router.isReady().finally(() => {
    removeEventListener('hashchange', note);
    if (address !== undefined) void router.replace(address);
  });
}
