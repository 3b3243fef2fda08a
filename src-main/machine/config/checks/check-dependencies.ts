import { joinPointer } from '../../../../proto/config/text/json-pointer.ts';
import type { JsonValue } from '../../../../proto/config/text/json-text.ts';
import { components, shortestCycle } from '../../../base/cycles.ts';
import type { ModelCatalog } from '../../catalog/catalog-type.ts';
import { referencesIn } from '../../models/references.ts';
import type { ResourceConfig } from '../../catalog/resource-config.ts';
import { NearNames } from './near-names.ts';
import type { ResourceEntry } from '../reading/read-resource.ts';
import { ResourceNames, declaredDependencies } from './resource-links.ts';

/** Most meanings of an ambiguous name that are listed. */
const MAX_MEANINGS_SHOWN = 8;
/** Longer cycles are shortened in the middle, and searched once for all their members. */
const LONGEST_SHOWN_CYCLE = 12;

/** A name that an entry needs. */
interface Need {
  readonly name: string;
  /** The API it must have; undefined for any. */
  readonly api: string | undefined;
  /** Document pointer. */
  readonly pointer: string;
}

/**
 * Reports names that do not exist (the resource waits: a warning) and
 * cycles (no member can ever be built: an error on each).
 * @param hasRemotes names missing here may exist on other machines, which is not known here
 */
export function checkDependencies(entries: readonly ResourceEntry[], catalog: ModelCatalog, hasRemotes = false): void {
  const names = new ResourceNames(entries.map((entry) => entry.config));
  const guesses = new NearNames(names.shortNames());
  const edges = new Map<ResourceEntry, readonly ResourceEntry[]>();
  const byConfig = new Map(entries.map((entry) => [entry.config, entry]));
  for (const entry of entries) {
    const needs = needsOf(entry, catalog);
    if (!entry.config.isDisabled) for (const need of needs) checkNeed(entry, need, names, guesses, hasRemotes);
    const next = needs.flatMap((need) => {
      const found = meant(need, names);
      // An ambiguous name has no target until it is written in full.
      return found.length === 1 ? found : [];
    });
    edges.set(
      entry,
      next.flatMap((config) => byConfig.get(config) ?? []),
    );
  }
  checkCycles(entries, edges);
}

/** Required names: `depends_on`, what the model declares, and the names its schema marks, each once. */
function needsOf(entry: ResourceEntry, catalog: ModelCatalog): readonly Need[] {
  const { config } = entry;
  const needs = new Map<string, Need>();
  const declared = declaredDependencies(config, catalog);
  const model = catalog.find(config.api, config.model);
  if (model !== undefined && entry.attributesPointer !== config.pointer) {
    for (const reference of referencesIn(model.schema, config.attributes)) {
      if (declared.optional.includes(reference.name)) continue;
      needs.set(reference.name, { ...reference, pointer: entry.attributesPointer + reference.pointer });
    }
  }
  config.dependsOn.forEach((name, index) => {
    if (!needs.has(name))
      needs.set(name, { name, api: undefined, pointer: joinPointer(entry.pointerOf('depends_on'), index) });
  });
  for (const name of declared.required) {
    if (needs.has(name)) continue;
    const inside = pointerOfText(config.attributes, name);
    needs.set(name, { name, api: undefined, pointer: entry.attributesPointer + (inside ?? '') });
  }
  return [...needs.values()];
}

function meant(need: Need, names: ResourceNames): readonly ResourceConfig[] {
  const found = names.find(need.name);
  if (need.api === undefined) return found;
  const fitting = found.filter((one) => one.api === need.api);
  return fitting.length === 0 ? found : fitting;
}

function checkNeed(
  entry: ResourceEntry,
  need: Need,
  names: ResourceNames,
  guesses: NearNames,
  hasRemotes: boolean,
): void {
  const { label, sink } = entry;
  const found = meant(need, names);
  const shown = JSON.stringify(need.name.slice(0, 80));
  const kind = need.api === undefined ? '' : `${need.api.slice(need.api.lastIndexOf(':') + 1).replaceAll('_', ' ')} `;
  const warn = (
    code: string,
    message: string,
    more: { allowed?: readonly string[]; nearest?: string | undefined } = {},
  ): void =>
    sink.report({
      pointer: need.pointer,
      severity: 'warning',
      code,
      message: `${label} ${message}`,
      found: need.name,
      ...more,
    });
  const [first] = found;
  if (first === undefined && hasRemotes) return;
  if (first === undefined) {
    const near = guesses.near(need.name.slice(need.name.lastIndexOf('/') + 1));
    // An entry is never suggested as its own dependency.
    const guess = near === entry.config.name ? undefined : near;
    const hint = guess === undefined ? '' : `; did you mean "${guess}"?`;
    warn('dependency.missing', `waits for ${kind}${shown}, which is not in the configuration${hint || '.'}`, {
      nearest: guess,
    });
  } else if (need.api !== undefined && first.api !== need.api) {
    warn('dependency.wrong_api', `waits for ${kind}${shown}, but what has that name is a ${first.api}.`, {
      allowed: [need.api],
    });
  } else if (found.length > 1) {
    const allowed = found.slice(0, MAX_MEANINGS_SHOWN).map((one) => one.fullName);
    const more = found.length > allowed.length ? ` or one of ${found.length - allowed.length} more` : '';
    warn('dependency.ambiguous', `waits: ${shown} may be ${allowed.join(' or ')}${more}; write the full name.`, {
      allowed,
    });
  } else if (first.isDisabled) warn('dependency.disabled', `waits for ${kind}${shown}, which is disabled.`);
}

/** Pointer of the first text in a value that equals `text`. */
export function pointerOfText(value: JsonValue, text: string, pointer = ''): string | undefined {
  if (value === text) return pointer;
  if (value === null || typeof value !== 'object') return undefined;
  for (const [key, one] of Object.entries(value)) {
    const found = pointerOfText(one, text, joinPointer(pointer, key));
    if (found !== undefined) return found;
  }
  return undefined;
}

function checkCycles(
  entries: readonly ResourceEntry[],
  edges: ReadonlyMap<ResourceEntry, readonly ResourceEntry[]>,
): void {
  // A disabled resource is not built, so it is never part of a cycle.
  const enabled = entries.filter((entry) => !entry.config.isDisabled);
  const next = (entry: ResourceEntry): readonly ResourceEntry[] =>
    (edges.get(entry) ?? []).filter((one) => !one.config.isDisabled);
  for (const component of components(enabled, next)) {
    const [first] = component;
    if (first === undefined || (component.length === 1 && !next(first).includes(first))) continue;
    const members = new Set(component);
    const inside = (entry: ResourceEntry): readonly ResourceEntry[] => next(entry).filter((one) => members.has(one));
    const shared = component.length > LONGEST_SHOWN_CYCLE ? shortestCycle(first, inside) : undefined;
    for (const entry of component) reportCycle(entry, shared ?? shortestCycle(entry, inside) ?? [entry, entry]);
  }
}

function reportCycle(entry: ResourceEntry, cycle: readonly ResourceEntry[]): void {
  const names = cycle.map((member) => member.config.name);
  const half = LONGEST_SHOWN_CYCLE / 2;
  const shown =
    names.length <= LONGEST_SHOWN_CYCLE + 1 ? names : [...names.slice(0, half), '...', ...names.slice(-half)];
  const following = cycle[cycle.indexOf(entry) + 1]?.config;
  const index = entry.config.dependsOn.findIndex((name) => name === following?.name || name === following?.fullName);
  const inside = following === undefined ? undefined : pointerOfText(entry.config.attributes, following.name);
  const pointer =
    index >= 0
      ? joinPointer(entry.pointerOf('depends_on'), index)
      : inside === undefined || entry.attributesPointer === entry.config.pointer
        ? entry.config.pointer
        : entry.attributesPointer + inside;
  entry.sink.report({
    pointer,
    severity: 'error',
    code: 'dependency.cycle',
    message: `${entry.label} depends on itself: ${shown.join(' -> ')}; remove one of these dependencies.`,
    found: following?.name,
  });
}
