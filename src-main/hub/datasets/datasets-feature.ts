import { DatasetServiceDefinition } from '../../../proto/gen/core/app/dataset/v1/dataset.ts';
import { serve, type Feature } from '../access/feature.ts';
import type { Store } from '../storage/store.ts';
import { datasetService } from './dataset-service.ts';
import type { Datasets } from './datasets.ts';

/** Datasets: sets of pictures that models are trained on. They are kept until somebody deletes them. */
export function datasetsFeature(store: Store, datasets: Datasets): Feature {
  return { services: [serve(DatasetServiceDefinition, datasetService(store, datasets))] };
}
