import { ArmatureError } from '../../base/errors.ts';
import type { ResourceNode } from './node.ts';
import type { ResourceState } from './state.ts';
import type { Resource } from '../../apis/resource.ts';
import type { ResourceTarget } from '../../rpc/router.ts';
import type { FoundResource } from '../catalog/model.ts';

/**
 * Finds resources by API and short name. For a ready resource it takes two map reads, whatever the number of resources,
 * and allocates nothing.
 */
export class Lookup {
  readonly #byApi = new Map<string, Map<string, ResourceNode>>();

  add(node: ResourceNode): void {
    this.namesOf(node.api).set(node.name, node);
  }

  remove(node: ResourceNode): void {
    this.#byApi.get(node.api)?.delete(node.name);
  }

  /** The resources of an API by short name. Returns the same map as long as the graph lives. */
  namesOf(api: string): Map<string, ResourceNode> {
    const known = this.#byApi.get(api);
    if (known !== undefined) return known;
    const names = new Map<string, ResourceNode>();
    this.#byApi.set(api, names);
    return names;
  }

  /** Throws `resource.not_found`, `resource.not_ready` or `resource.disabled`. */
  find(api: string, name: string): ResourceTarget<Resource> {
    return targetOf(this.#byApi.get(api)?.get(name), api, name);
  }

  /** The instance of a ready resource, for calls by other code of this program. Throws as {@link find} does. */
  findInstance<R extends Resource>(api: string, name: string): FoundResource<R> {
    const node = this.#byApi.get(api)?.get(name);
    targetOf(node, api, name);
    if (node?.instance === undefined) throw refusal(node, api, name);
    const { resource, config } = node.instance;
    // The API names the type: every resource of an API has its interface.
    return { resource: resource as Resource as R, model: config.model, attributes: config.attributes };
  }
}

/** The target of a node. Throws an error that says why there is none. */
export function targetOf(node: ResourceNode | undefined, api: string, name: string): ResourceTarget<Resource> {
  const target = node?.target;
  if (target !== undefined) return target;
  throw refusal(node, api, name);
}

/** Messages worded as clients of the public ecosystem expect, with our own codes and details. */
function refusal(node: ResourceNode | undefined, api: string, name: string): ArmatureError {
  if (node === undefined || node.isForgotten) {
    return new ArmatureError('resource.not_found', `no node found with api ${api} and name ${name}`, {
      details: { api, name },
    });
  }
  const { state, since, failure, fullName } = node;
  const lastError = failure?.reason ?? (state.kind === 'failed' ? state.reason : undefined);
  const details: Record<string, unknown> = { api, name, state: state.kind, since };
  if (lastError !== undefined) details.lastError = lastError;
  if (failure?.nextRetryAt !== undefined) details.nextRetryAt = failure.nextRetryAt;
  const code = state.kind === 'disabled' ? 'resource.disabled' : 'resource.not_ready';
  return new ArmatureError(code, `resource ${fullName} not available: ${causeOf(state)}`, { details });
}

function causeOf(state: ResourceState): string {
  switch (state.kind) {
    case 'waiting':
    case 'failed':
      return state.reason;
    case 'configuring':
      return `it is being configured (${state.reason})`;
    case 'removing':
      return 'it is being removed';
    case 'disabled':
      return 'it is disabled in the configuration; remove "disabled": true to use it';
    case 'unconfigured':
    case 'ready':
      return 'it is about to be configured';
  }
}
