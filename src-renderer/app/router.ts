import { createRouter, createWebHashHistory, type Router } from 'vue-router';
import { screen } from './screens/screen.ts';

/** The routes. They are in the fragment (`#/`), so that any file server and any window can open them. */
export function createPages(isHubAlone: boolean): Router {
  // A hub has no machine of its own to show first.
  const first = isHubAlone ? '/fleet' : '/configure';
  return createRouter({
    history: createWebHashHistory(),
    routes: [
      { path: '/', redirect: first },
      {
        path: '/configure',
        component: screen('configure', () => import('../features/configure/ConfigurePage.vue')),
        // Routes within one screen: it keeps its list and its editor while they change.
        children: [
          { path: '', name: 'configure', components: {} },
          { path: 'machine', name: 'configure-machine', components: {} },
          { path: 'packages', name: 'configure-packages', components: {} },
          { path: 'resource/:name', name: 'configure-resource', components: {} },
          // Beside the form that is open: the form stays.
          { path: '/help/:model/:attribute?', name: 'help', components: {} },
        ],
      },
      {
        path: '/control',
        // Separate screens; the rail links to the first.
        children: [
          {
            path: '',
            name: 'control',
            component: screen('control', () => import('../features/control/ControlPage.vue')),
          },
          {
            path: 'recording',
            name: 'recording',
            component: screen('control', () => import('../features/control/recording/view/RecordingPage.vue')),
          },
        ],
      },
      { path: '/logs', name: 'logs', component: screen('logs', () => import('../features/logs/LogsPage.vue')) },
      {
        path: '/history',
        name: 'history',
        component: screen('history', () => import('../features/history/HistoryPage.vue')),
      },
      {
        path: '/overview',
        name: 'overview',
        component: screen('overview', () => import('../features/overview/OverviewPage.vue')),
      },
      {
        path: '/diagnostics',
        name: 'diagnostics',
        component: screen('diagnostics', () => import('../features/diagnostics/DiagnosticsPage.vue')),
      },
      {
        path: '/triggers',
        name: 'triggers',
        component: screen('triggers', () => import('./screens/TriggersScreen.vue')),
      },
      {
        path: '/data',
        // Separate screens; the rail links to the first.
        children: [
          { path: '', name: 'data', component: screen('data', () => import('../features/data/DataPage.vue')) },
          {
            path: 'datasets/:id?',
            name: 'datasets',
            component: screen('data', () => import('../features/data/datasets/DatasetsPage.vue')),
          },
          {
            path: 'datasets/:id/label',
            name: 'label',
            component: screen('data', () => import('../features/data/datasets/labels/LabelPage.vue')),
          },
          {
            path: 'test',
            name: 'model-test',
            component: screen('data', () => import('../features/data/model-test/ModelTestPage.vue')),
          },
        ],
      },
      {
        path: '/train/:job?',
        name: 'train',
        component: screen('train', () => import('../features/train/TrainPage.vue')),
      },
      { path: '/fleet', name: 'fleet', component: screen('fleet', () => import('../features/fleet/FleetPage.vue')) },
      {
        path: '/registry',
        name: 'registry',
        component: screen('registry', () => import('../features/registry/RegistryPage.vue')),
      },
      {
        path: '/settings',
        name: 'settings',
        component: screen('settings', () => import('../features/settings/SettingsPage.vue')),
      },
      { path: '/:rest(.*)*', redirect: first },
    ],
  });
}
