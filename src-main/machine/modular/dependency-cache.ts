import { revisionOf } from '../../base/revision.ts';
import type { ResourceConfig } from '../catalog/resource-config.ts';
import type { Dependencies } from '../catalog/model.ts';

/** Maximum number of answers. Beyond it, the oldest are dropped, and asked for again when needed. */
const MAX_KEPT = 5_000;

/**
 * The dependencies of resources, as modules answered. Plans and the build order use the last known answer of any
 * process; a build always asks again.
 */
export class DependencyCache {
  readonly #byAttributes = new Map<string, Dependencies>();
  readonly #byResource = new Map<string, Dependencies>();

  remember(config: ResourceConfig, dependencies: Dependencies): void {
    const { api, model, attributes, fullName } = config;
    keep(this.#byAttributes, attributesKey(api, model, attributes), dependencies);
    keep(this.#byResource, resourceKey(model, fullName), dependencies);
  }

  /** The answer for these attributes, or the last one for the resource if there is none. */
  find({
    api,
    model,
    attributes,
    fullName,
  }: Pick<ResourceConfig, 'api' | 'model' | 'attributes'> & { readonly fullName: string | undefined }):
    Dependencies | undefined {
    const exact = this.#byAttributes.get(attributesKey(api, model, attributes));
    if (exact !== undefined || fullName === undefined) return exact;
    return this.#byResource.get(resourceKey(model, fullName));
  }
}

function keep(map: Map<string, Dependencies>, key: string, dependencies: Dependencies): void {
  map.delete(key);
  map.set(key, dependencies);
  if (map.size <= MAX_KEPT) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}

function attributesKey(api: string, model: string, attributes: ResourceConfig['attributes']): string {
  return `${api} ${model} ${revisionOf(JSON.stringify(attributes))}`;
}

function resourceKey(model: string, fullName: string): string {
  return `${model} ${fullName}`;
}
