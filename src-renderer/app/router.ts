import { createRouter, createWebHashHistory, type Router } from 'vue-router';

/** The screens. Addresses are behind `#/`, so that any file server and any window can open them. */
export function createPages(): Router {
  return createRouter({
    history: createWebHashHistory(),
    routes: [
      { path: '/', redirect: '/configure' },
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
      { path: '/:rest(.*)*', redirect: '/configure' },
    ],
  });
}
