import { HubDatasetServiceDefinition } from '../../../proto/gen/core/hub/v1/dataset.ts';
import type { Clock } from '../../base/clock.ts';
import { toArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { serve, type Feature } from '../access/feature.ts';
import type { CapturedData } from '../data/captured-data.ts';
import type { Datasets } from '../datasets/datasets.ts';
import type { Store } from '../storage/store.ts';
import { archiveCalls } from './archive-calls.ts';
import { labellingService } from './labelling-service.ts';
import type { DatasetSnapshots } from './snapshots.ts';

const SWEEP_INTERVAL_MS = 60 * 60 * 1_000;

export interface LabellingOptions {
  readonly store: Store;
  readonly data: CapturedData;
  readonly datasets: Datasets;
  readonly snapshots: DatasetSnapshots;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Labels of pictures, and snapshots, export and import of datasets. */
export function labellingFeature(options: LabellingOptions): Feature {
  const { snapshots, clock, logger } = options;
  let sweeping: Promise<void> | undefined;
  const sweep = async (): Promise<void> => {
    try {
      await snapshots.sweep();
    } catch (thrown) {
      logger.warn(`Pictures of deleted snapshots cannot be deleted now: ${toArmatureError(thrown).message}`);
    }
  };
  const timer = clock.every(SWEEP_INTERVAL_MS, () => {
    sweeping ??= sweep().finally(() => (sweeping = undefined));
  });
  return {
    services: [
      serve(HubDatasetServiceDefinition, labellingService(options)),
      serve(HubDatasetServiceDefinition, archiveCalls(options)),
    ],
    close: async () => {
      timer.cancel();
      await sweeping;
    },
  };
}
