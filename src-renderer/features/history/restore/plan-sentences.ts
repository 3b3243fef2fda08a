import { renameWords } from '../../../../proto/config/changes/change-words.ts';
import { shortName, type ConfigPlan } from '../../../shared/machine/machine-view.ts';
import { renamesApart } from '../../../shared/plan/plan-presentation.ts';
import type { Text } from '../../../shared/text.ts';

/** How many names a sentence lists; the others are counted. */
const MAX_NAMES = 3;

/** What a plan does, in sentences; the warnings are those that a person should not overlook. */
export interface PlanSentences {
  readonly calm: readonly string[];
  readonly warnings: readonly string[];
  /** Whether something that may be moving stops. */
  readonly stops: boolean;
}

/** Describes a plan before a restore: what changes, is rebuilt, added or removed, what restarts and what stops. */
export function planSentences({ resources, modules, settings }: ConfigPlan, t: Text): PlanSentences {
  const calm: string[] = [];
  const warnings: string[] = [];
  const { renamed, others } = renamesApart(resources);
  const namesOf = (kind: string): string[] =>
    others.filter((change) => change.kind === kind).map(({ name }) => shortName(name));
  if (renamed.length > 0) {
    const names = renamed.map(({ renamedFrom, name }) => renameWords({ from: renamedFrom, to: name }));
    calm.push(t('versions.plan.rename', { names: listed(names, t), count: names.length }));
  }
  for (const kind of ['change', 'rebuild', 'add', 'remove'] as const) {
    const names = namesOf(kind);
    if (names.length > 0) calm.push(t(`versions.plan.${kind}`, { names: listed(names, t), count: names.length }));
  }
  for (const { kind, name } of modules) {
    if (kind !== 'restart') calm.push(t(`versions.plan.module.${kind}`, { name }));
  }
  for (const { key, needsRestart } of settings) {
    calm.push(t(needsRestart ? 'versions.plan.settingLater' : 'versions.plan.setting', { name: key }));
  }
  if (calm.length === 0 && modules.length === 0) calm.push(t('versions.plan.nothing'));
  const restarted = modules.filter(({ kind }) => kind === 'restart').map(({ name }) => name);
  if (restarted.length > 0) {
    warnings.push(t('versions.plan.restarts', { names: listed(restarted, t), count: restarted.length }));
  } else calm.push(t('versions.plan.noRestart'));
  const stopping = resources.filter(({ stopsMotion }) => stopsMotion).map(({ name }) => shortName(name));
  if (stopping.length > 0) {
    warnings.push(t('versions.plan.stops', { names: listed(stopping, t), count: stopping.length }));
  } else calm.push(t('versions.plan.nothingStops'));
  return { calm, warnings, stops: stopping.length > 0 };
}

/** `left`, `left and right`, `left, right and cam`, `left, right, cam and 4 more`. */
export function listed(names: readonly string[], t: Text): string {
  const shown = names.length > MAX_NAMES + 1 ? names.slice(0, MAX_NAMES) : names;
  const rest = names.length - shown.length;
  if (rest > 0) return t('versions.plan.andMore', { names: shown.join(', '), count: rest });
  if (shown.length < 2) return shown.join('');
  return t('versions.plan.and', { names: shown.slice(0, -1).join(', '), last: shown.at(-1) ?? '' });
}
