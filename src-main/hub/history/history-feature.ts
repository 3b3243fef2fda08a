import { AppServiceDefinition } from '../../../proto/gen/core/app/v1/app.ts';
import { ConfigServiceDefinition } from '../../../proto/gen/core/config/v1/config.ts';
import { PartServiceDefinition } from '../../../proto/gen/core/hub/v1/part.ts';
import { serve, type Feature } from '../access/feature.ts';
import { configService } from './config-service.ts';
import { historyCalls, type HistoryCallsOptions } from './history-calls.ts';
import { partConfigCalls, type PartConfigCallsOptions } from './part-config-calls.ts';
import { PartWatches } from './part-watches.ts';
import { PendingAuthors } from './pending-authors.ts';

/** Configurations of parts with all their versions. Versions are kept as long as their part. */
export function historyFeature(options: PartConfigCallsOptions & HistoryCallsOptions): Feature {
  const { store, configs, live } = options;
  const authors = new PendingAuthors();
  const watches = new PartWatches(live.connected);
  return {
    services: [
      serve(ConfigServiceDefinition, configService({ store, configs, live, watches }, authors)),
      serve(AppServiceDefinition, historyCalls(options)),
      serve(PartServiceDefinition, partConfigCalls(options, authors)),
    ],
    close: () => watches.close(),
  };
}
