import type { ServiceDefinition, ServiceHandlers } from '../rpc/service.ts';
import type { Feature } from './access/feature.ts';
import { guarded, type HubHandlers, type Identify } from './access/guarded.ts';

/** A service with everything that answers its calls. */
export type JoinedService = readonly [definition: ServiceDefinition, handlers: ServiceHandlers<ServiceDefinition>];

/**
 * Makes whole services of the calls that features answer.
 * @throws {Error} where two features answer the same call
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
