import { type Resource, Resource_State } from '../../../../proto/gen/core/status/v1/status.ts';
import { shortName } from '../machine-view.ts';
import { isModelOf } from './module-view.ts';

interface Offer {
  readonly moduleId: string;
  /** Triplets. */
  readonly models: readonly string[];
}

/** Whether a resource runs in the process of a module. */
export function isServedBy({ model }: Pick<Resource, 'model'>, { moduleId, models }: Offer): boolean {
  return models.includes(model) || isModelOf(model, moduleId);
}

/** The resources in a module's process, and those that depend on them, directly or indirectly. */
export interface Carried {
  readonly served: readonly Resource[];
  /** Not in the process, but waiting while the process is down. */
  readonly dependents: readonly Resource[];
}

export function carriedBy(module: Offer, resources: readonly Resource[]): Carried {
  const served = resources.filter((resource) => isServedBy(resource, module));
  const reached = new Set(served.map(({ name }) => name));
  // Repeated until nothing is added: a dependent may have dependents itself.
  for (let size = -1; size !== reached.size;) {
    size = reached.size;
    for (const { name: fullName, dependsOn } of resources) {
      if (dependsOn.some((name) => reached.has(name))) reached.add(fullName);
    }
  }
  const isServed = new Set(served);
  return { served, dependents: resources.filter((one) => reached.has(one.name) && !isServed.has(one)) };
}

/** Short names of the running resources that stop when the module stops. */
export function stoppingWith(module: Offer, resources: readonly Resource[]): readonly string[] {
  const { served, dependents } = carriedBy(module, resources);
  return [...served, ...dependents]
    .filter(({ state }) => state === Resource_State.READY)
    .map(({ name }) => shortName(name));
}
