import { DataServiceDefinition } from '../../../proto/gen/core/app/data/v1/data.ts';
import { DataSyncServiceDefinition } from '../../../proto/gen/core/app/datasync/v1/data_sync.ts';
import { HubDataServiceDefinition } from '../../../proto/gen/core/hub/v1/data.ts';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { serve, type Feature } from '../access/feature.ts';
import { BlobUploads, type UploadLimits } from '../blobs/blob-uploads.ts';
import type { Datasets } from '../datasets/datasets.ts';
import type { Store } from '../storage/store.ts';
import { binaryCalls } from './binary/binary-calls.ts';
import { labelCalls } from './binary/label-calls.ts';
import type { CapturedData } from './captured-data.ts';
import { sqlCalls, sqlWindowCalls } from './sql/sql-calls.ts';
import { SqlQueries } from './sql/sql-queries.ts';
import { DataSweeper } from './retention/data-keeper.ts';
import { hubDataService } from './window/hub-data-service.ts';
import { tabularCalls } from './tabular/tabular-calls.ts';
import { uploadCalls } from './uploads/upload-calls.ts';

/** For files and large binary data. Many machines upload at once after their network was down. */
const UPLOAD_LIMITS: UploadLimits = { bytes: 4 * 1024 ** 3, atOnce: 64, idleMs: 60_000 };

export interface DataOptions {
  readonly store: Store;
  readonly data: CapturedData;
  readonly datasets: Datasets;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Clock for the age of data, milliseconds; never goes back. */
  readonly age: () => number;
  /** {@link UPLOAD_LIMITS} if absent. */
  readonly limits?: UploadLimits | undefined;
}

/** Captured data: upload, queries, labels and retention. */
export function dataFeature(options: DataOptions): Feature {
  const { store, data, datasets, clock, limits = UPLOAD_LIMITS } = options;
  const { blobs } = data;
  const uploads = new BlobUploads({ blobs, clock, limits, what: 'upload' });
  const queries = new SqlQueries({ store });
  const sweeper = new DataSweeper({ ...options, blobs });
  return {
    services: [
      serve(DataSyncServiceDefinition, uploadCalls({ store, data, uploads, clock })),
      serve(DataServiceDefinition, tabularCalls(store, clock)),
      serve(DataServiceDefinition, binaryCalls(store, blobs)),
      serve(DataServiceDefinition, labelCalls(store, datasets)),
      serve(DataServiceDefinition, sqlCalls(queries)),
      serve(HubDataServiceDefinition, hubDataService({ store, blobs, clock })),
      serve(HubDataServiceDefinition, sqlWindowCalls(queries)),
    ],
    close: async () => {
      await queries.close();
      await sweeper.close();
      await blobs.close();
    },
  };
}
