import type { ModuleView } from './module-view.ts';
import type { RegistryModuleView, RegistryVersionView } from './registry-view.ts';

/** A module of the registry that runs, for tests. */
export function moduleView(name: string, over: Partial<ModuleView> = {}): ModuleView {
  return {
    name,
    moduleId: name.replace('_', ':'),
    version: '1.2.3',
    wantedVersion: '1.2.*',
    isFromRegistry: true,
    state: 'ready',
    reason: '',
    since: 0,
    attempts: 0,
    nextTryAt: 0,
    pid: 7,
    models: [],
    restarts: 0,
    lastExit: '',
    cpu: 0,
    memoryBytes: 0,
    update: undefined,
    restartHint: '',
    isUnconfined: false,
    ...over,
  };
}

export function registryModule(moduleId: string, over: Partial<RegistryModuleView> = {}): RegistryModuleView {
  const [namespace = '', name = ''] = moduleId.split(':');
  return {
    moduleId,
    namespace,
    name,
    organizationName: 'Acme',
    visibility: 'public',
    description: '',
    url: '',
    latest: '1.2.3',
    latestPrerelease: '',
    models: [],
    platforms: ['linux/amd64'],
    updatedAt: 0,
    machines: 0,
    mayPublish: false,
    ...over,
  };
}

export function registryVersion(version: string, over: Partial<RegistryVersionView> = {}): RegistryVersionView {
  return {
    version,
    isPrerelease: version.includes('-'),
    publishedAt: 0,
    publishedBy: 'this computer',
    files: [],
    yanked: '',
    ...over,
  };
}
