import { parseFullName } from '../../../../proto/config/names.ts';
import { type Dependencies, noDependencies } from '../../catalog/model.ts';
import type { ModelCatalog } from '../../catalog/catalog-type.ts';
import { referencesIn } from '../../models/references.ts';
import type { ResourceConfig } from '../../catalog/resource-config.ts';
import { hasError } from '../problem-list.ts';

/** Resources by the names other resources use for them. */
export class ResourceNames {
  readonly #byFullName = new Map<string, ResourceConfig>();
  readonly #byShortName = new Map<string, ResourceConfig[]>();

  constructor(resources: Iterable<ResourceConfig>) {
    for (const resource of resources) {
      this.#byFullName.set(resource.fullName, resource);
      const namesakes = this.#byShortName.get(resource.name);
      if (namesakes === undefined) this.#byShortName.set(resource.name, [resource]);
      else namesakes.push(resource);
    }
  }

  /** All resources a short or full name may mean; more than one where a short name is ambiguous. */
  find(name: string): readonly ResourceConfig[] {
    const full = parseFullName(name);
    if (full === undefined) return this.#byShortName.get(name) ?? [];
    const resource = this.#byFullName.get(`${full.api}/${full.name}`);
    return resource === undefined ? [] : [resource];
  }

  shortNames(): Iterable<string> {
    return this.#byShortName.keys();
  }
}

/**
 * What a resource needs by its model. None for a model that is not in the
 * catalog (its module says so later) and for a resource with errors, which is
 * not built whatever it would need.
 */
export function declaredDependencies(resource: ResourceConfig, catalog: ModelCatalog): Dependencies {
  const entry = catalog.find(resource.api, resource.model);
  if (entry?.dependencies === undefined || hasError(resource.problems)) return noDependencies;
  return entry.dependencies(resource.attributes, resource.fullName);
}

/**
 * Full names of what cannot be ready without a resource, by its full name: `depends_on`, what models require, the names
 * that schemas mark. Optional dependencies and names that may mean several resources are left out.
 */
export function neededBy(
  resources: readonly ResourceConfig[],
  catalog: ModelCatalog,
): ReadonlyMap<string, ReadonlySet<string>> {
  const names = new ResourceNames(resources);
  const users = new Map(resources.map(({ fullName }) => [fullName, new Set<string>()]));
  for (const resource of resources) {
    const { required, optional } = declaredDependencies(resource, catalog);
    const schema = catalog.find(resource.api, resource.model)?.schema;
    const marked = schema === undefined ? [] : referencesIn(schema, resource.attributes);
    const needs = marked.filter(({ name }) => !optional.includes(name)).map(({ name }) => name);
    for (const name of [...resource.dependsOn, ...required, ...needs]) {
      const [found, ...others] = names.find(name);
      if (found !== undefined && others.length === 0) users.get(found.fullName)?.add(resource.fullName);
    }
  }
  return users;
}
