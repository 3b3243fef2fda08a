import { AppServiceDefinition } from '../../../proto/gen/core/app/v1/app.ts';
import { RegistryServiceDefinition } from '../../../proto/gen/core/hub/v1/registry.ts';
import { serve, type Feature } from '../access/feature.ts';
import { moduleCalls, type ModuleCallsOptions } from './module-calls.ts';
import { registryService } from './registry-service.ts';

/** Modules with their versions: published, found and fetched. Packages are kept as long as their module. */
export function registryFeature(options: ModuleCallsOptions): Feature {
  return {
    services: [
      serve(RegistryServiceDefinition, registryService(options)),
      serve(AppServiceDefinition, moduleCalls(options)),
    ],
    close: () => options.registry.packages.close(),
  };
}
