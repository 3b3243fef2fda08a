import type { ComponentConfig } from '../../../proto/gen/core/app/v1/robot.ts';
import { parseTriplet } from '../../../proto/config/names.ts';
import { namespaceIn, tripletIn } from '../../base/dialect.ts';
import type { ResourceConfig } from '../config/machine-config.ts';

/**
 * The entry of a resource as modules expect it, services too (wire contract 3.3): names in their spelling, without the
 * keys that only this program knows (ruling 3).
 */
export function toComponentConfig(config: ResourceConfig): ComponentConfig {
  const { name, api, model, attributes, dependsOn, logLevel, serviceConfigs } = config;
  const triplet = parseTriplet(api);
  return {
    name,
    namespace: namespaceIn(triplet?.namespace ?? '', 'viam'),
    type: triplet?.name ?? '',
    api: tripletIn(api, 'viam'),
    model: tripletIn(model, 'viam'),
    frame: undefined, // kept in the file, not supported yet (ruling 4)
    dependsOn: dependsOn.map((one) => tripletIn(one, 'viam')),
    serviceConfigs: serviceConfigs.map(({ type, attributes: inner }) => ({
      type: tripletIn(typeof type === 'string' ? type : '', 'viam'),
      attributes: typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? inner : {},
    })),
    attributes,
    logConfiguration: logLevel === undefined ? undefined : { level: logLevel },
  };
}
