import type { MachineInfo, ResourceView, StatusEvent } from './machine-view.ts';
import type { ModuleView } from './module-view.ts';

export interface StatusPicture {
  readonly machine: MachineInfo | undefined;
  /** By full name. */
  readonly resources: ReadonlyMap<string, ResourceView>;
  /** By name. */
  readonly modules: ReadonlyMap<string, ModuleView>;
}

export const emptyPicture: StatusPicture = { machine: undefined, resources: new Map(), modules: new Map() };

/** The picture after an event. A snapshot replaces everything: what it does not name is gone. */
export function mergeStatus(picture: StatusPicture, event: StatusEvent): StatusPicture {
  if (event.kind === 'snapshot') {
    return {
      machine: event.machine,
      resources: new Map(event.resources.map((resource) => [resource.fullName, resource])),
      modules: new Map(event.modules.map((module) => [module.name, module])),
    };
  }
  const resources = new Map(picture.resources);
  for (const name of event.removed) resources.delete(name);
  for (const resource of event.upserted) resources.set(resource.fullName, resource);
  return { machine: event.machine ?? picture.machine, resources, modules: mergedModules(picture.modules, event) };
}

/** The same map where nothing of it changed: resources change far more often. */
function mergedModules(
  modules: StatusPicture['modules'],
  { upsertedModules, removedModules }: Extract<StatusEvent, { kind: 'changes' }>,
): StatusPicture['modules'] {
  if (upsertedModules.length === 0 && removedModules.length === 0) return modules;
  const next = new Map(modules);
  for (const name of removedModules) next.delete(name);
  for (const module of upsertedModules) next.set(module.name, module);
  return next;
}

/** The four colours of state. */
export type Tone = 'ok' | 'warn' | 'bad' | 'off';

const tones: Readonly<Record<ResourceView['state'], Tone>> = {
  ready: 'ok',
  configuring: 'warn',
  waiting: 'warn',
  removing: 'warn',
  failed: 'bad',
  disabled: 'off',
  unconfigured: 'off',
};

export function toneOf(state: ResourceView['state']): Tone {
  return tones[state];
}

export interface Readiness {
  readonly ready: number;
  /** Disabled ones are not counted: nobody expects them. */
  readonly expected: number;
  readonly failed: number;
  /** True while something is on its way to ready or gone. */
  readonly isSettling: boolean;
}

export function readinessOf(resources: Iterable<ResourceView>): Readiness {
  let ready = 0;
  let expected = 0;
  let failed = 0;
  let isSettling = false;
  for (const { state } of resources) {
    if (state !== 'disabled') expected += 1;
    if (state === 'ready') ready += 1;
    if (state === 'failed') failed += 1;
    if (state === 'configuring' || state === 'removing') isSettling = true;
  }
  return { ready, expected, failed, isSettling };
}

/** The machine's pill: how the whole is. */
export function machineTone(machine: MachineInfo | undefined, readiness: Readiness): Tone {
  if (machine === undefined) return 'off';
  if (machine.state !== 'running') return 'warn';
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

/** A built-in model by its short name, others in full: `core:builtin:gpio` -> `gpio`, `acme:env:bme280` stays. */
export function modelLabel(model: string): string {
  const [namespace, family, name] = model.split(':');
  return family === 'builtin' && name !== undefined && (namespace === 'core' || namespace === 'rdk') ? name : model;
}

/** Made once: `localeCompare` with options makes one for each two names. */
const byName = new Intl.Collator(undefined, { numeric: true });

export interface ResourceGroup {
  /** `component`, `service`, ... */
  readonly kind: string;
  readonly resources: readonly ResourceView[];
}

/** Components, then services, then the rest; by name within. `text` filters by name, api and model. */
export function groupResources(resources: Iterable<ResourceView>, text: string): readonly ResourceGroup[] {
  const wanted = text.trim().toLowerCase();
  const groups = new Map<string, ResourceView[]>();
  for (const resource of resources) {
    const haystack = `${resource.name} ${subtypeOf(resource.api)} ${modelLabel(resource.model)}`.toLowerCase();
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
      resources: found.sort((left, right) => byName.compare(left.name, right.name)),
    }));
}
