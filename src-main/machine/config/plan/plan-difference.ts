import { isDeepStrictEqual } from 'node:util';
import { isSecretKey, MASK } from '../../../../proto/config/secrets.ts';
import type { JsonObject, JsonValue } from '../../../apis/resource.ts';
import { isInPlace as canChangeInPlace, type CatalogEntry } from '../../catalog/model.ts';
import type { ResourceConfig } from '../../catalog/resource-config.ts';
import type { ModuleConfig } from '../machine-config.ts';

/** Longest text of one value in a reason. */
const LONGEST_VALUE = 60;
/** At most this many changed keys of one value are named individually. */
const MAX_INNER = 3;

export interface ResourceDifference {
  readonly kind: 'change' | 'rebuild';
  readonly fields: readonly string[];
  readonly reason: string;
  /** A change for which only the module knows whether it applies in place: else the resource is rebuilt. */
  readonly mayRebuild: boolean;
}

/** A value in a reason: its JSON, without the quotes around simple words. */
function show(value: JsonValue | undefined): string {
  if (value === undefined) return 'none';
  const masked = (key: string, inner: unknown): unknown => (key !== '' && isSecretKey(key) ? MASK : inner);
  const text = typeof value === 'string' && /^\S+$/.test(value) ? value : JSON.stringify(value, masked);
  return cut(text);
}

function cut(text: string): string {
  return text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE - 1)}…`;
}

/** `max_rpm 100 to 120`, `pins.dir 16 to 18`, `analogs: added a1`; for a secret, only that it changed. */
export function describeChange(
  key: string,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  isSecret: boolean,
): string {
  if (!isSecret) {
    const named = namedChanges(before, after);
    if (named !== undefined) return `${key}: ${named}`;
    const [was, is] = [asObject(before), asObject(after)];
    const inner = was === undefined || is === undefined ? [] : differingKeys(was, is);
    if (inner.length === 0 || inner.length > MAX_INNER) return `${key} ${show(before)} to ${show(after)}`;
    return inner.map((step) => describeChange(`${key}.${step}`, was?.[step], is?.[step], isSecretKey(step))).join(', ');
  }
  if (before === undefined) return `${key} set (${MASK})`;
  return after === undefined ? `${key} removed` : `${key} changed (${MASK})`;
}

/** `added enc_a, enc_b; removed button` for two lists of named objects; undefined for other values. */
function namedChanges(before: JsonValue | undefined, after: JsonValue | undefined): string | undefined {
  const [was, is] = [byName(before), byName(after)];
  if (was === undefined || is === undefined) return undefined;
  const lists: readonly (readonly [string, readonly string[]])[] = [
    ['added', [...is.keys()].filter((name) => !was.has(name))],
    ['removed', [...was.keys()].filter((name) => !is.has(name))],
    ['changed', [...is.keys()].filter((name) => was.has(name) && !isDeepStrictEqual(was.get(name), is.get(name)))],
  ];
  const changes = lists.filter(([, names]) => names.length > 0);
  if (changes.length === 0) return undefined;
  return changes.map(([verb, names]) => `${verb} ${cut(names.join(', '))}`).join('; ');
}

/** The objects of a list by name; undefined if it is not such a list, or two have the same name. */
function byName(list: JsonValue | undefined): ReadonlyMap<string, JsonObject> | undefined {
  if (list !== undefined && !Array.isArray(list)) return undefined;
  const entries = new Map<string, JsonObject>();
  for (const item of list ?? []) {
    const entry = asObject(item);
    const name = entry?.['name'];
    if (entry === undefined || typeof name !== 'string' || name === '' || entries.has(name)) return undefined;
    entries.set(name, entry);
  }
  return entries;
}

function asObject(value: JsonValue | undefined): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}

/** Keys whose values differ, in the order of `before`, then new ones. */
function differingKeys(before: JsonObject, after: JsonObject): readonly string[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].filter((key) => {
    if (Object.hasOwn(before, key) !== Object.hasOwn(after, key)) return true;
    return !isDeepStrictEqual(before[key], after[key]);
  });
}

/**
 * The differences between two configurations of one resource, and whether they need a rebuild; undefined if there are
 * none. Places in the text do not count, nor do problems, unless one of the two cannot run because of them.
 */
export function resourceDifference(
  from: ResourceConfig,
  to: ResourceConfig,
  entry: CatalogEntry | undefined,
): ResourceDifference | undefined {
  const fields: string[] = [];
  const reasons: string[] = [];
  let isRebuild = false;
  const differs = (field: string, reason: string, needsRebuild: boolean): void => {
    fields.push(field);
    reasons.push(reason);
    isRebuild ||= needsRebuild;
  };
  if (from.isDisabled !== to.isDisabled) differs('disabled', to.isDisabled ? 'disabled' : 'enabled', true);
  if (from.model !== to.model) differs('model', describeChange('model', from.model, to.model, false), true);
  const changed = differingKeys(from.attributes, to.attributes);
  // New attributes can mean other dependencies; only a rebuild applies those.
  const isInPlace =
    entry !== undefined && changed.every((key) => canChangeInPlace(entry, key)) && hasSameDependencies(from, to, entry);
  for (const key of changed) {
    const before = Object.hasOwn(from.attributes, key) ? from.attributes[key] : undefined;
    const after = Object.hasOwn(to.attributes, key) ? to.attributes[key] : undefined;
    differs(key, describeChange(key, before, after, isSecretAttribute(key, from, to)), !isInPlace);
  }
  if (!isDeepStrictEqual(from.dependsOn, to.dependsOn)) {
    differs('depends_on', describeChange('depends_on', [...from.dependsOn], [...to.dependsOn], false), true);
  }
  if (from.logLevel !== to.logLevel) {
    differs('log_configuration', `log level ${from.logLevel ?? 'usual'} to ${to.logLevel ?? 'usual'}`, false);
  }
  if (from.notes !== to.notes) differs('notes', 'notes changed', false);
  if (!isDeepStrictEqual(from.serviceConfigs, to.serviceConfigs)) {
    differs('service_configs', 'what services do with it changed', false);
  }
  const errors = [errorsOf(from), errorsOf(to)] as const;
  if (!isDeepStrictEqual(...errors)) {
    isRebuild = true;
    reasons.push(errors[1][0] === undefined ? 'its error is gone' : `it has a problem: ${errors[1][0]}`);
  }
  if (reasons.length === 0) return undefined;
  const mayRebuild = !isRebuild && changed.length > 0 && entry?.inPlace === 'all';
  const hint = mayRebuild ? ' (in place where its module can, else it is built again)' : '';
  return { kind: isRebuild ? 'rebuild' : 'change', fields, reason: reasons.join(', ') + hint, mayRebuild };
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
      list.push(describeChange(key, before[key], after[key], isSecretKey(key)));
    }
  }
  for (const key of differingKeys({ ...from.env }, { ...to.env })) {
    restarts.push(`env ${describeChange(key, from.env[key], to.env[key], true)}`);
  }
  if (from.logLevel !== to.logLevel) {
    changes.push(`log level ${from.logLevel ?? 'usual'} to ${to.logLevel ?? 'usual'}${levelHint(from, to)}`);
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
