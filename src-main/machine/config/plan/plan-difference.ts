import { isDeepStrictEqual } from 'node:util';
import { changesWords, changeWords, levelWords } from '../../../../proto/config/changes/change-words.ts';
import type { Renames } from '../../../../proto/config/changes/renames.ts';
import {
  entryPlace,
  followingCount,
  isFollowing,
  placeIn,
  valueChanges,
  type ChangeRules,
  type ValueChange,
} from '../../../../proto/config/changes/value-changes.ts';
import { isSecretKey } from '../../../../proto/config/secrets.ts';
import type { JsonObject, JsonValue } from '../../../apis/resource.ts';
import { isInPlace as canChangeInPlace, type CatalogEntry } from '../../catalog/model.ts';
import type { ResourceConfig } from '../../catalog/resource-config.ts';
import type { ModuleConfig } from '../machine-config.ts';

export interface ResourceDifference {
  readonly kind: 'change' | 'rebuild';
  readonly fields: readonly string[];
  readonly reason: string;
  /** A change for which only the module knows whether it applies in place: else the resource is rebuilt. */
  readonly mayRebuild: boolean;
  /** As in `ResourceChange`. */
  readonly references: number | undefined;
}

/** Keys whose values differ, in the order of `before`, then new ones. */
function differingKeys(before: JsonObject, after: JsonObject): readonly string[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].filter((key) => {
    if (Object.hasOwn(before, key) !== Object.hasOwn(after, key)) return true;
    return !isDeepStrictEqual(before[key], after[key]);
  });
}

/** Keys of an entry whose change needs a rebuild. */
const REBUILDING: ReadonlySet<unknown> = new Set(['disabled', 'model', 'depends_on']);

/**
 * The differences between two configurations of one resource, and whether they need a rebuild; undefined if there are
 * none. Places in the text do not count, nor do problems, unless one of the two cannot run because of them.
 */
export function resourceDifference(
  from: ResourceConfig,
  to: ResourceConfig,
  entry: CatalogEntry | undefined,
  renames: Renames,
): ResourceDifference | undefined {
  const changes = entryChanges(from, to, renames);
  const fields = [
    ...new Set(changes.map(({ place: { steps } }) => String(steps[0] === 'attributes' ? steps[1] : steps[0]))),
  ];
  const changed = differingKeys(from.attributes, to.attributes);
  // New attributes can mean other dependencies; only a rebuild applies those.
  const isInPlace =
    entry !== undefined && changed.every((key) => canChangeInPlace(entry, key)) && hasSameDependencies(from, to, entry);
  let isRebuild =
    changes.some(({ place: { steps } }) => REBUILDING.has(steps[0])) || (changed.length > 0 && !isInPlace);
  const reasons = changes.length === 0 ? [] : [changesWords(changes)];
  const errors = [errorsOf(from), errorsOf(to)] as const;
  const hasSameErrors = isDeepStrictEqual(...errors);
  if (!hasSameErrors) {
    isRebuild = true;
    reasons.push(errors[1][0] === undefined ? 'its error is gone' : `it has a problem: ${errors[1][0]}`);
  }
  if (reasons.length === 0) return undefined;
  const mayRebuild = !isRebuild && changed.length > 0 && entry?.inPlace === 'all';
  const hint = mayRebuild ? ' (in place where its module can, else it is built again)' : '';
  const references = hasSameErrors ? referencesIn(changes) : undefined;
  return { kind: isRebuild ? 'rebuild' : 'change', fields, reason: reasons.join(', ') + hint, mayRebuild, references };
}

/** What differs between two configurations of one resource beside its name; its problems do not count. */
export function entryChanges(from: ResourceConfig, to: ResourceConfig, renames: Renames): readonly ValueChange[] {
  const rules: ChangeRules = {
    isHidden: ([block, key]) => block === 'attributes' && key !== undefined && isSecretAttribute(String(key), from, to),
    follows: renames.follows,
  };
  return valueChanges(entryValue(from), entryValue(to), entryPlace, rules);
}

/** An entry as the file has it, without name and API. */
export function entryValue(resource: ResourceConfig): { [key: string]: JsonValue } {
  const { isDisabled, model, attributes, dependsOn, logLevel, notes, serviceConfigs } = resource;
  return {
    disabled: isDisabled,
    model,
    attributes,
    depends_on: [...dependsOn],
    log_configuration: logLevel === undefined ? {} : { level: logLevel },
    notes,
    service_configs: [...serviceConfigs],
  };
}

/** How many references follow renamed resources, if that is all that these changes are; else undefined. */
export function referencesIn(changes: readonly ValueChange[]): number | undefined {
  if (!changes.every(isFollowing)) return undefined;
  return changes.map(followingCount).reduce((sum, count) => sum + count, 0);
}

function hasSameDependencies(from: ResourceConfig, to: ResourceConfig, entry: CatalogEntry): boolean {
  if (entry.dependencies === undefined || errorsOf(from).length > 0 || errorsOf(to).length > 0) return true;
  const [before, after] = [from, to].map((one) => entry.dependencies?.(one.attributes, one.fullName));
  return isDeepStrictEqual(before, after);
}

/** Messages of the errors: the reason why the resource fails. */
function errorsOf(resource: ResourceConfig | ModuleConfig): readonly string[] {
  return resource.problems.filter((problem) => problem.severity === 'error').map((problem) => problem.message);
}

function isSecretAttribute(key: string, from: ResourceConfig, to: ResourceConfig): boolean {
  if (isSecretKey(key)) return true;
  const pointers = [...(from.fromEnvironment ?? []), ...(to.fromEnvironment ?? [])];
  if (pointers.some((pointer) => pointer.split('/')[1] === key.replaceAll('~', '~0').replaceAll('/', '~1')))
    return true;
  return [from.attributes[key], to.attributes[key]].some((value) => value !== undefined && holdsSecretKey(value));
}

function holdsSecretKey(value: JsonValue): boolean {
  if (value === null || typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.some(holdsSecretKey);
  return Object.entries(value).some(([key, one]) => isSecretKey(key) || holdsSecretKey(one));
}

/** Keys of a module that do not concern its process. */
const BESIDE_THE_PROCESS = new Set(['notes', 'disabled', 'log_level', 'name', 'env', 'reload_path', 'reload_enabled']);

const moduleRules: ChangeRules = {
  isHidden: (steps) => steps.some((step) => isSecretKey(String(step))),
  follows: () => false,
};

/** The differences between two configurations of one module; undefined if there are none. */
export function moduleDifference(
  from: ModuleConfig,
  to: ModuleConfig,
): { readonly kind: 'restart' | 'change'; readonly reason: string } | undefined {
  const restarts: string[] = [];
  const changes: string[] = [];
  if (from.isDisabled !== to.isDisabled) restarts.push(to.isDisabled ? 'disabled: it is stopped' : 'enabled');
  const before = withSmallKeys(from.raw);
  const after = withSmallKeys(to.raw);
  for (const key of differingKeys(before, after)) {
    const list = BESIDE_THE_PROCESS.has(key) ? changes : restarts;
    if (key === 'notes') list.push('notes changed');
    else if (key !== 'disabled' && key !== 'log_level' && key !== 'env') {
      list.push(changesWords(valueChanges(before[key], after[key], placeIn(entryPlace, key), moduleRules)));
    }
  }
  for (const key of differingKeys({ ...from.env }, { ...to.env })) {
    const { [key]: was } = from.env;
    const { [key]: is } = to.env;
    const place = { steps: ['env', key], path: `env ${key}` };
    restarts.push(changeWords({ kind: 'secret', place, wasSet: was !== undefined, isSet: is !== undefined }));
  }
  if (from.logLevel !== to.logLevel) {
    changes.push(levelWords(from.logLevel, to.logLevel) + levelHint(from, to));
  }
  const errors = [errorsOf(from), errorsOf(to)] as const;
  if (!isDeepStrictEqual(...errors)) {
    restarts.push(errors[1][0] === undefined ? 'its error is gone' : `it has a problem: ${errors[1][0]}`);
  }
  const reasons = [...restarts, ...changes];
  if (reasons.length === 0) return undefined;
  return { kind: restarts.length > 0 ? 'restart' : 'change', reason: reasons.join(', ') };
}

/** A new level filters at once, but lines that a module never sent cannot be shown. */
function levelHint(from: ModuleConfig, to: ModuleConfig): string {
  const order = ['debug', 'info', 'warn', 'error'];
  const isLower = order.indexOf(to.logLevel ?? 'info') < order.indexOf(from.logLevel ?? 'info');
  return isLower ? ' (the module sends more only after it is restarted)' : '';
}

function withSmallKeys(raw: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(raw).map(([key, value]) => [key.toLowerCase(), value]));
}
