import { createRouter, createWebHashHistory, type Router } from 'vue-router';

/** The screens. Addresses are behind `#/`, so that any file server and any window can open them. */
export function createPages(): Router {
  return createRouter({
    history: createWebHashHistory(),
    routes: [
      { path: '/', redirect: '/configure' },
      { path: '/configure', name: 'configure', component: () => import('../features/configure/ConfigurePage.vue') },
      { path: '/control', name: 'control', component: () => import('../features/control/ControlPage.vue') },
      { path: '/logs', name: 'logs', component: () => import('../features/logs/LogsPage.vue') },
      { path: '/:rest(.*)*', redirect: '/configure' },
    ],
  });
}
