import type { RegistryModule } from '../../../../proto/gen/core/hub/v1/registry.ts';
import type { ModuleModelView } from '../../../shared/machine/modules/module-view.ts';
import { isModelOf } from '../../../shared/machine/modules/module-view.ts';
import { modelLabel, subtypeOf } from '../../../shared/machine/rpc/status-merge.ts';
import { registryModuleEntry } from '../../../shared/registry/module-entry.ts';
import type { DraftModule } from '../../../shared/stores/draft-text.ts';
import type { Section } from '../document/document-model.ts';
import type { NewEntry } from '../document/editing/entry-edits.ts';

/** A model of a module: one that runs here, or one in the registry, whose module would be added too. */
export interface ModularChoice {
  readonly kind: 'modular';
  readonly id: string;
  readonly section: Section;
  readonly api: string;
  readonly model: string;
  /** `motor`. */
  readonly subtype: string;
  readonly label: string;
  /** '' if it has none. */
  readonly summary: string;
  /** `namespace:name`; '' for a local module without an id. */
  readonly moduleId: string;
  /** Name of the module in the draft; '' if it has to be added. */
  readonly moduleName: string;
}

/** A module of the registry, without a resource. */
export interface ModuleChoice {
  readonly kind: 'module';
  readonly id: string;
  readonly module: RegistryModule;
}

/** A module that is a program on the machine's computer. */
export interface LocalModuleChoice {
  readonly kind: 'local';
  readonly id: typeof localModuleId;
}

export const localModuleId = 'module.local';

export interface ModularSources {
  /** Models of modules that run. */
  readonly running: readonly ModuleModelView[];
  /** Modules that the registry found for the text. */
  readonly found: readonly RegistryModule[];
  /** Modules of the draft. */
  readonly modules: readonly DraftModule[];
}

/** Models of modules that match all words of a text: those that run and, if there is a text, those of the registry. */
export function modularChoices(text: string, sources: ModularSources): readonly ModularChoice[] {
  const { running, found, modules } = sources;
  const words = wordsOf(text);
  const known = new Map<string, ModularChoice>();
  const add = (choice: ModularChoice, more: string): void => {
    const haystack = `${choice.subtype} ${choice.model} ${choice.summary} ${choice.moduleName} ${more}`.toLowerCase();
    if (!known.has(choice.id) && words.every((word) => haystack.includes(word))) known.set(choice.id, choice);
  };
  for (const { moduleName, api, model } of running) {
    const described = found.flatMap(({ models }) => models).find((one) => one.model === model && one.api === api);
    const moduleId = modules.find(({ name }) => name === moduleName)?.moduleId ?? '';
    add(choiceOf(api, model, described?.description ?? '', moduleId, moduleName), '');
  }
  // Without a text, the whole registry would be listed among the models that run here.
  for (const module of words.length === 0 ? [] : found) {
    const configured = modules.find(({ moduleId }) => moduleId === module.moduleId);
    for (const { api, model, description } of module.models) {
      const { moduleId } = module;
      if (!isModelOf(model, moduleId)) continue;
      add(choiceOf(api, model, description, moduleId, configured?.name ?? ''), `${moduleId} ${module.description}`);
    }
  }
  return [...known.values()];
}

/** Modules of the registry that the draft does not have, and the local module if the text matches it. */
export function moduleChoices(
  text: string,
  { found, modules }: Pick<ModularSources, 'found' | 'modules'>,
  localWords: string,
): readonly (ModuleChoice | LocalModuleChoice)[] {
  const there = new Set(modules.map(({ moduleId }) => moduleId));
  const local = wordsOf(text).every((word) => localWords.toLowerCase().includes(word));
  return [
    ...found
      .filter(({ moduleId, latest, latestPrerelease }) => !there.has(moduleId) && (latest || latestPrerelease) !== '')
      .map((module) => ({ kind: 'module' as const, id: `module.${module.moduleId}`, module })),
    ...(local ? [{ kind: 'local' as const, id: localModuleId as typeof localModuleId }] : []),
  ];
}

/** The entries to write for a resource of a module: first its module, if the draft does not have it. */
export function modularEntries(
  choice: ModularChoice,
  name: string,
  modules: readonly DraftModule[],
): readonly NewEntry[] {
  const { section, api, model, moduleId, moduleName } = choice;
  const entry: NewEntry = { section, value: { name, api, model, attributes: {} } };
  if (moduleName !== '') return [entry];
  const taken = new Set(modules.map((module) => module.name));
  return [{ section: 'modules', value: registryModuleEntry(moduleId, taken) }, entry];
}

function choiceOf(api: string, model: string, summary: string, moduleId: string, moduleName: string): ModularChoice {
  return {
    kind: 'modular',
    id: `modular.${api}.${model}`,
    section: api.split(':')[1] === 'service' ? 'services' : 'components',
    api,
    model,
    subtype: subtypeOf(api),
    label: modelLabel(model),
    summary,
    moduleId,
    moduleName,
  };
}

/** The words of a filter text, in lower case. */
export function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().split(/\s+/).filter(Boolean);
}
