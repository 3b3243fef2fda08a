import { ArmatureError } from '../../../base/errors.ts';
import { canonicalDependency } from '../dependency-index.ts';
import type { DependencyGenerations, ResourceNode } from '../node.ts';
import type { Resource, JsonObject } from '../../../apis/resource.ts';
import type { BuildContext } from '../../catalog/model.ts';

/** What every resource of a machine is built with. */
export type Host = Pick<
  BuildContext<JsonObject>,
  'clock' | 'hardware' | 'capture' | 'others' | 'isEnvironmentUntrusted'
>;

/**
 * The context for a constructor. Its dependencies are fixed when the build starts: a constructor that asks for one late
 * gets the same instance, never a newer one.
 */
export function makeBuildContext(
  node: ResourceNode,
  attributes: JsonObject,
  held: DependencyGenerations,
  host: Host,
  signal: AbortSignal,
): BuildContext<JsonObject> {
  const { label, declared } = node;
  const instances = new Map<ResourceNode, Resource>();
  for (const dependency of held.keys()) {
    if (dependency.instance !== undefined) instances.set(dependency, dependency.instance.resource);
  }
  const declaredNames = new Set([...declared.required, ...declared.optional].map(canonicalDependency));

  const find = (api: string, written: string): Resource | undefined => {
    const name = canonicalDependency(written);
    const named = [...instances.keys()].filter((candidate) => candidate.fullName === name || candidate.name === name);
    const match = named.find((candidate) => candidate.api === api);
    if (match !== undefined) return instances.get(match);
    const [other] = named;
    if (other !== undefined) {
      const message = `${label} needs a ${api} named ${written}, but that is ${other.fullName}.`;
      throw new ArmatureError('resource.not_found', message);
    }
    if (!declaredNames.has(name) && !declaredNames.has(`${api}/${name}`)) {
      const message = `${label} asks for ${api}/${written}, which its model does not declare as a dependency.`;
      throw new ArmatureError('resource.not_found', message);
    }
    return undefined;
  };

  return {
    name: node.name,
    attributes,
    logger: node.logger,
    clock: host.clock,
    hardware: host.hardware,
    capture: host.capture,
    others: host.others,
    isEnvironmentUntrusted: host.isEnvironmentUntrusted,
    signal,
    dependency<R extends Resource>(api: string, name: string): R {
      const found = find(api, name);
      if (found === undefined) {
        const message = `${label} asks for ${api}/${name}, which is optional and not ready.`;
        throw new ArmatureError('resource.not_ready', message);
      }
      // The API names the type: every resource of an API has its interface.
      return found as R;
    },
    optionalDependency<R extends Resource>(api: string, name: string): R | undefined {
      return find(api, name) as R | undefined;
    },
  };
}
