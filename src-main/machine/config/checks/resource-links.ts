import { parseFullName } from '../../../../proto/config/names.ts';
import { type Dependencies, noDependencies } from '../../catalog/model.ts';
import type { ModelCatalog } from '../../catalog/catalog-type.ts';
import { referencesIn } from '../../models/references.ts';
import type { ResourceConfig } from '../../catalog/resource-config.ts';
import { hasError } from '../problem-list.ts';

/** Resources by the names that other resources use for them. */
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

  /** All resources that a short or full name may mean; several if a short name is ambiguous. */
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
 * Dependencies of a resource, from its model. None for a model that is not in the catalog (its module reports them
 * later) and for a resource with errors, which is not built in any case.
 */
export function declaredDependencies(resource: ResourceConfig, catalog: ModelCatalog): Dependencies {
  const entry = catalog.find(resource.api, resource.model);
  if (entry?.dependencies === undefined || hasError(resource.problems)) return noDependencies;
  return entry.dependencies(resource.attributes, resource.fullName);
}

/**
 * Full names of resources that cannot be ready without a resource, by its full name: from `depends_on`, requirements of
 * models, and names that schemas mark. Optional dependencies and ambiguous names are left out.
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
