import type { Model } from '../../../../proto/gen/core/hub/v1/models.ts';
import type { TrainingJob } from '../../../../proto/gen/core/hub/v1/training.ts';
import { modelToDeploy, type ModelToDeploy } from '../../../shared/deploy/deployment.ts';

/** The version of a model that a job made; undefined if it made none or the version was deleted. */
export function modelOfJob({ metadata }: TrainingJob, models: readonly Model[]): ModelToDeploy | undefined {
  const model = models.find(({ id }) => id === metadata?.syncedModelId);
  const version = model?.versions.find((one) => one.version === metadata?.modelVersion);
  return model === undefined || version === undefined ? undefined : modelToDeploy(model, version);
}
