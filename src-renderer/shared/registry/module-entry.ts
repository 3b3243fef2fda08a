import { firstFree, MAX_NAME_LENGTH } from '../names.ts';

/** The configuration entry of a newly added module of the registry. */
export interface RegistryModuleEntry extends Record<string, unknown> {
  readonly type: 'registry';
  readonly name: string;
  readonly module_id: string;
  readonly version: string;
}

/** By convention `namespace_name`; with `-2`, `-3` appended if that is taken. */
export function moduleNameFor(moduleId: string, taken: ReadonlySet<string>): string {
  const wanted = moduleId.replaceAll(/[^-\w]+/g, '_').replace(/^[-_]+/, '') || 'module';
  return firstFree(wanted, taken, MAX_NAME_LENGTH.module);
}

export function registryModuleEntry(moduleId: string, taken: ReadonlySet<string>): RegistryModuleEntry {
  return { type: 'registry', name: moduleNameFor(moduleId, taken), module_id: moduleId, version: 'latest' };
}
