import type { RemotePlace } from './remote-resource.ts';
import type { Actuator, Resource } from './resource.ts';
import type { ResourceHandlers, ServiceDefinition } from '../rpc/service.ts';

/** A resource API: its name, its proto service and how an instance serves it. One file per API. */
export interface ResourceApi<R extends Resource = Resource, D extends ServiceDefinition = ServiceDefinition> {
  /** Triplet in our spelling, `core:component:motor`. */
  readonly api: string;
  readonly service: D;
  readonly handlers: ResourceHandlers<R, D>;
  /** Whether instances are {@link Actuator}s, stopped by sessions and StopAll. */
  readonly isActuator: boolean;
  /** An instance that another process has, for code of this one that calls it. */
  readonly client: (place: RemotePlace) => R;
}

/** Names the types of an API's handlers without repeating them. */
export function defineApi<R extends Resource, D extends ServiceDefinition>(api: ResourceApi<R, D>): ResourceApi<R, D> {
  return api;
}

export function isActuator(resource: Resource): resource is Actuator {
  return 'stop' in resource && typeof resource.stop === 'function';
}
