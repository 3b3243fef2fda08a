import { Module, Module_State } from '../../../proto/gen/core/status/v1/status.ts';
import type { RegistryModuleView, RegistryVersionView } from './registry-view.ts';

/** A module of the registry that runs, for tests. */
export function moduleOf(name: string, over: Partial<Module> = {}): Module {
  const running = { name, moduleId: name.replace('_', ':'), version: '1.2.3', wantedVersion: '1.2.*', pid: 7 };
  return { ...Module.fromPartial({ ...running, isFromRegistry: true, state: Module_State.READY }), ...over };
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
