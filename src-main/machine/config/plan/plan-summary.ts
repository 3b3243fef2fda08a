import { renamesSummary, renameWords } from '../../../../proto/config/changes/change-words.ts';
import { shortNameOf } from '../../../../proto/config/names.ts';
import type { ModuleChange, Plan, ResourceChange, SettingChange } from './plan.ts';

/** One line for a plan: the change itself if there is only one that the configuration has, else counts. */
export function summarize(
  resources: readonly ResourceChange[],
  modules: readonly ModuleChange[],
  settings: readonly SettingChange[],
): string {
  const renamed = resources.flatMap((change) =>
    change.kind === 'add' && change.renamedFrom !== undefined ? [{ ...change, from: change.renamedFrom }] : [],
  );
  const oldNames = new Set(renamed.map(({ from }) => from));
  const newNames = new Set(renamed.map(({ name }) => name));
  const others = resources.filter(({ name }) => !oldNames.has(name) && !newNames.has(name));
  // What is rebuilt only because of another change is no change of the configuration.
  const own = others.filter((change) => !('references' in change && change.references === 0));
  const [resource] = own;
  const [module] = modules;
  const [setting] = settings;
  const total = renamed.length + own.length + modules.length + settings.length;
  if (total === 0) return 'no changes';
  if (total === 1 && resource !== undefined) return `${shortNameOf(resource.name)}: ${resource.reason}`;
  if (total === 1 && module !== undefined) return `module ${module.name}: ${moduleReason(module)}`;
  if (total === 1 && setting !== undefined) return setting.reason;
  const rename = renameSummary(renamed, others, modules.length + settings.length);
  if (rename !== undefined) return rename;
  const count = (kind: string): number => others.filter((change) => change.kind === kind).length;
  const parts = [
    [renamed.length, 'renamed'],
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

interface RenamedResource {
  readonly from: string;
  readonly name: string;
  readonly reason: string;
  readonly references?: number;
}

/** The summary of a plan whose only own changes are new names; undefined for any other. */
function renameSummary(
  renamed: readonly RenamedResource[],
  others: readonly ResourceChange[],
  beside: number,
): string | undefined {
  const [first, ...more] = renamed;
  const references = others.map((change) => ('references' in change ? change.references : undefined));
  if (first === undefined || beside > 0 || references.includes(undefined)) return undefined;
  const renames = renamed.map(({ from, name, references: inside }) => ({ from, to: name, inside }));
  if (renames.every(({ inside }) => inside !== undefined)) {
    const all = [...references, ...renames.map(({ inside }) => inside)];
    return renamesSummary(
      renames,
      all.reduce<number>((sum, one) => sum + (one ?? 0), 0),
    );
  }
  return more.length > 0 ? undefined : `${renameWords({ from: first.from, to: first.name })}: ${first.reason}`;
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
