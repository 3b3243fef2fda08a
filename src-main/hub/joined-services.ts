import type { ServiceDefinition, ServiceHandlers } from '../rpc/service.ts';
import type { Feature } from './access/feature.ts';
import { guarded, type HubHandlers, type Identify } from './access/guarded.ts';

/** A service with all its handlers. */
export type JoinedService = readonly [definition: ServiceDefinition, handlers: ServiceHandlers<ServiceDefinition>];

/**
 * Combines the calls of all features into whole services.
 * @throws {Error} if two features answer the same call
 */
export function joinServices(features: readonly Feature[], identify: Identify): JoinedService[] {
  const joined = new Map<ServiceDefinition, HubHandlers<ServiceDefinition>>();
  for (const [definition, handlers] of features.flatMap(({ services }) => services)) {
    const before = joined.get(definition) ?? {};
    const twice = Object.keys(handlers).find((name) => Object.hasOwn(before, name));
    if (twice !== undefined) throw new Error(`two features of the hub answer ${definition.fullName}/${twice}`);
    joined.set(definition, { ...before, ...handlers });
  }
  return [...joined].map(([definition, handlers]) => [definition, guarded(definition, handlers, identify)]);
}
