import {
  type Machine,
  Machine_State,
  type Module,
  type Package,
  type Remote,
  type Resource,
  Resource_State,
  type WatchResponse,
} from '../../../../proto/gen/core/status/v1/status.ts';
import { shortName } from '../machine-view.ts';

export interface StatusView {
  readonly machine: Machine | undefined;
  /** By full name. */
  readonly resources: ReadonlyMap<string, Resource>;
  /** By name. */
  readonly modules: ReadonlyMap<string, Module>;
  /** By the name that the configuration gives them. */
  readonly packages: ReadonlyMap<string, Package>;
  /** Connections to other machines, by name. */
  readonly remotes: ReadonlyMap<string, Remote>;
}

export const emptyStatus: StatusView = {
  machine: undefined,
  resources: new Map(),
  modules: new Map(),
  packages: new Map(),
  remotes: new Map(),
};

/** Applies a message of the status stream. A snapshot replaces everything, so what it does not contain is removed. */
export function mergeStatus(view: StatusView, { event }: WatchResponse): StatusView {
  switch (event?.$case) {
    case 'snapshot': {
      const { machine, resources, modules, packages, remotes } = event.value;
      if (machine === undefined) return view;
      return {
        machine,
        resources: byName(resources),
        modules: byName(modules),
        packages: byName(packages),
        remotes: byName(remotes),
      };
    }
    case 'changes': {
      const { machine = view.machine, upserted, removed } = event.value;
      const { upsertedModules, removedModules, upsertedPackages, removedPackages } = event.value;
      const { upsertedRemotes, removedRemotes } = event.value;
      return {
        machine,
        resources: changed(view.resources, removed, upserted),
        modules: changed(view.modules, removedModules, upsertedModules),
        packages: changed(view.packages, removedPackages, upsertedPackages),
        remotes: changed(view.remotes, removedRemotes, upsertedRemotes),
      };
    }
    // An event of a newer machine.
    case undefined:
      return view;
  }
}

function byName<T extends { readonly name: string }>(all: readonly T[]): ReadonlyMap<string, T> {
  return new Map(all.map((one) => [one.name, one]));
}

/** Returns the same map if nothing changed: resources change far more often than modules. */
function changed<T extends { readonly name: string }>(
  before: ReadonlyMap<string, T>,
  removed: readonly string[],
  upserted: readonly T[],
): ReadonlyMap<string, T> {
  if (removed.length === 0 && upserted.length === 0) return before;
  const next = new Map(before);
  for (const name of removed) next.delete(name);
  for (const one of upserted) next.set(one.name, one);
  return next;
}

/** The four colours of states. */
export type Tone = 'ok' | 'warn' | 'bad' | 'off';

/** States of a resource, as the message keys name them. */
export type ResourceStateName =
  'unconfigured' | 'waiting' | 'configuring' | 'ready' | 'failed' | 'removing' | 'disabled';

const known: Readonly<Record<number, readonly [ResourceStateName, Tone]>> = {
  [Resource_State.WAITING]: ['waiting', 'warn'],
  [Resource_State.CONFIGURING]: ['configuring', 'warn'],
  [Resource_State.READY]: ['ready', 'ok'],
  [Resource_State.FAILED]: ['failed', 'bad'],
  [Resource_State.REMOVING]: ['removing', 'warn'],
  [Resource_State.DISABLED]: ['disabled', 'off'],
};

export function stateName(state: Resource_State): ResourceStateName {
  return known[state]?.[0] ?? 'unconfigured';
}

export function toneOf(state: Resource_State): Tone {
  return known[state]?.[1] ?? 'off';
}

export interface Readiness {
  readonly ready: number;
  /** Without the disabled resources. */
  readonly expected: number;
  readonly failed: number;
  /** True while something is being configured or removed. */
  readonly isSettling: boolean;
}

export function readinessOf(resources: Iterable<Resource>): Readiness {
  let ready = 0;
  let expected = 0;
  let failed = 0;
  let isSettling = false;
  for (const { state } of resources) {
    if (state !== Resource_State.DISABLED) expected += 1;
    if (state === Resource_State.READY) ready += 1;
    if (state === Resource_State.FAILED) failed += 1;
    if (state === Resource_State.CONFIGURING || state === Resource_State.REMOVING) isSettling = true;
  }
  return { ready, expected, failed, isSettling };
}

/** The tone of the whole machine. */
export function machineTone(machine: Machine | undefined, readiness: Readiness): Tone {
  if (machine === undefined) return 'off';
  if (machine.state !== Machine_State.RUNNING) return 'warn';
  return readiness.failed > 0 ? 'bad' : 'ok';
}

const kindOrder = new Map([
  ['component', 0],
  ['service', 1],
]);

/** `core:component:motor` -> `component`. */
function kindOf(api: string): string {
  return api.split(':')[1] ?? '';
}

/** `core:component:motor` -> `motor`. */
export function subtypeOf(api: string): string {
  return api.split(':')[2] ?? api;
}

/** Whether a resource belongs to another machine: `core:remote:second`. */
export function isOfRemote(model: string): boolean {
  return /^(core|rdk):remote:/.test(model);
}

/** Name of the other machine that a resource belongs to; '' for a resource of this machine. */
export function remoteOf(model: string): string {
  return isOfRemote(model) ? (model.split(':')[2] ?? '') : '';
}

/**
 * How a model is shown: `core:builtin:gpio` -> `gpio`, `core:remote:second` (a resource of another machine) ->
 * `on second`; other models in full, such as `acme:env:bme280`.
 */
export function modelLabel(model: string): string {
  const [namespace, family, name] = model.split(':');
  if (isOfRemote(model)) return `on ${name ?? ''}`;
  return family === 'builtin' && name !== undefined && (namespace === 'core' || namespace === 'rdk') ? name : model;
}

/** Made once: `localeCompare` with options would make one for each comparison. */
const inOrder = new Intl.Collator(undefined, { numeric: true });

export interface ResourceGroup {
  /** `component`, `service`, ... */
  readonly kind: string;
  readonly resources: readonly Resource[];
}

/** Components, then services, then the rest; each sorted by name. `text` filters by name, API and model. */
export function groupResources(resources: Iterable<Resource>, text: string): readonly ResourceGroup[] {
  const wanted = text.trim().toLowerCase();
  const groups = new Map<string, Resource[]>();
  for (const resource of resources) {
    const haystack =
      `${shortName(resource.name)} ${subtypeOf(resource.api)} ${modelLabel(resource.model)}`.toLowerCase();
    if (!haystack.includes(wanted)) continue;
    const kind = kindOf(resource.api);
    const group = groups.get(kind);
    if (group === undefined) groups.set(kind, [resource]);
    else group.push(resource);
  }
  return [...groups]
    .sort(([left], [right]) => (kindOrder.get(left) ?? 9) - (kindOrder.get(right) ?? 9) || left.localeCompare(right))
    .map(([kind, found]) => ({
      kind,
      resources: found.sort((left, right) => inOrder.compare(shortName(left.name), shortName(right.name))),
    }));
}
