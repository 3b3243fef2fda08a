import { PackageServiceDefinition } from '../../../proto/gen/core/app/packages/v1/packages.ts';
import { AppServiceDefinition } from '../../../proto/gen/core/app/v1/app.ts';
import { ModelServiceDefinition } from '../../../proto/gen/core/hub/v1/models.ts';
import { RegistryServiceDefinition } from '../../../proto/gen/core/hub/v1/registry.ts';
import type { Clock } from '../../base/clock.ts';
import { serve, type Feature } from '../access/feature.ts';
import { modelCalls } from './models/model-calls.ts';
import { packageCalls } from './models/package-calls.ts';
import { moduleCalls, type ModuleCallsOptions } from './module-calls.ts';
import { registryService } from './registry-service.ts';

export interface RegistryFeatureOptions extends ModuleCallsOptions {
  readonly clock: Clock;
}

/**
 * Publishes, finds and serves modules, models and other packages with their versions. They are kept until somebody
 * deletes them.
 */
export function registryFeature(options: RegistryFeatureOptions): Feature {
  const packages = options.registry.others;
  return {
    services: [
      serve(RegistryServiceDefinition, registryService(options)),
      serve(AppServiceDefinition, moduleCalls(options)),
      serve(PackageServiceDefinition, packageCalls({ ...options, packages })),
      serve(ModelServiceDefinition, modelCalls({ ...options, packages })),
    ],
    close: () => options.registry.packages.close(),
  };
}
