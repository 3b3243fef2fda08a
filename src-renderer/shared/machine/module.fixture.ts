import { RegistryModule, RegistryModule_Visibility } from '../../../proto/gen/core/hub/v1/registry.ts';
import { Module, Module_State } from '../../../proto/gen/core/status/v1/status.ts';

/** A module of the registry that runs, for tests. */
export function moduleOf(name: string, over: Partial<Module> = {}): Module {
  const running = { name, moduleId: name.replace('_', ':'), version: '1.2.3', wantedVersion: '1.2.*', pid: 7 };
  return { ...Module.fromPartial({ ...running, isFromRegistry: true, state: Module_State.READY }), ...over };
}

export function registryModule(moduleId: string, over: Partial<RegistryModule> = {}): RegistryModule {
  const [namespace = '', name = ''] = moduleId.split(':');
  const visibility = RegistryModule_Visibility.PUBLIC;
  const told = { moduleId, namespace, name, visibility, latest: '1.2.3', platforms: ['linux/amd64'] };
  return { ...RegistryModule.fromPartial(told), ...over };
}
