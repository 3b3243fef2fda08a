import { parseFullName } from '../../../../proto/config/names.ts';
import type { ModuleChange, Plan, ResourceChange, SettingChange } from './plan.ts';

/** One line for a plan: the change itself if there is only one, else counts. */
export function summarize(
  resources: readonly ResourceChange[],
  modules: readonly ModuleChange[],
  settings: readonly SettingChange[],
): string {
  const [resource] = resources;
  const [module] = modules;
  const [setting] = settings;
  const total = resources.length + modules.length + settings.length;
  if (total === 0) return 'no changes';
  if (total === 1 && resource !== undefined) return `${shortName(resource.name)}: ${resource.reason}`;
  if (total === 1 && module !== undefined) return `module ${module.name}: ${moduleReason(module)}`;
  if (total === 1 && setting !== undefined) return setting.reason;
  const count = (kind: string): number => resources.filter((change) => change.kind === kind).length;
  const parts = [
    [count('add'), 'added'],
    [count('change'), 'changed in place'],
    [count('rebuild'), 'rebuilt'],
    [count('remove'), 'removed'],
    [modules.length, modules.length === 1 ? 'module' : 'modules'],
    [settings.length, settings.length === 1 ? 'setting' : 'settings'],
  ] as const;
  return parts
    .filter(([number]) => number > 0)
    .map(([number, word]) => `${number} ${word}`)
    .join(', ');
}

/** Names of everything that a plan changes: full names of resources, `module/<name>`, settings. */
export function subjectsOf({ resources, modules, settings }: Plan): readonly string[] {
  return [
    ...settings.map(({ key }) => key),
    ...modules.map(({ name }) => `module/${name}`),
    ...resources.map(({ name }) => name),
  ];
}

/** The reason of a module's change, for people. */
export function moduleReason(change: ModuleChange): string {
  if (change.kind === 'add') return 'added';
  return change.kind === 'remove' ? 'removed' : change.reason;
}

function shortName(fullName: string): string {
  return parseFullName(fullName)?.name ?? fullName;
}
