import { computed, type Ref } from 'vue';
import { useModuleModels } from '../../../shared/machine/modules/use-module-models.ts';
import { useRegistrySearch } from '../../../shared/registry/use-registry-search.ts';
import { useDraftText } from '../../../shared/stores/draft-text.ts';
import { useFleet } from '../../../shared/stores/fleet.ts';
import { useText } from '../../../shared/text.ts';
import {
  modularChoices,
  moduleChoices,
  wordsOf,
  type LocalModuleChoice,
  type ModularChoice,
  type ModuleChoice,
} from './modular-choices.ts';
import { foundChoices, modelChoices, type ModelChoice } from './model-choices.ts';

/** A remote: another machine whose resources are used here. */
export interface RemoteChoice {
  readonly kind: 'remote';
  readonly id: typeof remoteId;
}

export const remoteId = 'remote';

export type AddChoice = ModelChoice | ModularChoice | ModuleChoice | LocalModuleChoice | RemoteChoice;

export interface ChoiceGroup {
  readonly key: string;
  readonly title: string;
  readonly choices: readonly AddChoice[];
}

/** The choices that match a text: built-in models and those of modules together, then modules, then remotes. */
export function useAddChoices(text: Readonly<Ref<string>>) {
  const t = useText();
  const fleet = useFleet();
  const draft = useDraftText();
  const running = useModuleModels();
  const registry = useRegistrySearch(computed(() => text.value.trim()));

  const remote: RemoteChoice = { kind: 'remote', id: remoteId };
  const isRemoteMeant = computed(() => wordsOf(text.value).every((word) => t('add.remote.words').includes(word)));

  const groups = computed((): readonly ChoiceGroup[] => {
    const found = registry.view.value?.modules ?? [];
    const byApi = new Map<string, AddChoice[]>(foundChoices(text.value).map(([api, choices]) => [api, [...choices]]));
    for (const choice of modularChoices(text.value, { running: running.value, found, modules: draft.modules })) {
      byApi.set(choice.api, [...(byApi.get(choice.api) ?? []), choice]);
    }
    const modules = moduleChoices(text.value, { found, modules: draft.modules }, t('add.local.words'));
    return [
      ...[...byApi].map(([api, choices]) => ({ key: api, title: titleOf(choices[0]), choices })),
      ...(modules.length === 0 ? [] : [{ key: 'modules', title: t('resources.kinds.module'), choices: modules }]),
      ...(isRemoteMeant.value ? [{ key: 'remotes', title: t('resources.kinds.remote'), choices: [remote] }] : []),
    ];
  });

  /** The subtype of a group; with component or service if two APIs have the same subtype. */
  function titleOf(choice: AddChoice | undefined): string {
    if (choice?.kind !== 'builtin' && choice?.kind !== 'modular') return '';
    const isAmbiguous = modelChoices.some((other) => other.subtype === choice.subtype && other.api !== choice.api);
    if (!isAmbiguous) return choice.subtype;
    return `${choice.subtype} · ${t(`add.family.${choice.section === 'services' ? 'service' : 'component'}`)}`;
  }

  return {
    groups,
    /** Why the choices lack the modules of the registry; '' if they are included. */
    registryProblem: computed(() => {
      const problem = registry.view.value?.problem;
      if (fleet.hasHub === false || problem?.kind === 'noRegistry') return t('add.noRegistry');
      return problem === undefined ? '' : t('add.registryFailed', { reason: problem.message });
    }),
  };
}
