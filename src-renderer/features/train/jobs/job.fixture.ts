import {
  ModelType,
  TrainingStatus,
  type TrainingJobMetadata,
} from '../../../../proto/gen/core/app/mltraining/v1/ml_training.ts';
import { TrainingJob } from '../../../../proto/gen/core/hub/v1/training.ts';

/** A job of the model “bolts” that has run since 10:00, for tests about something else. */
export function job(
  metadata: Partial<TrainingJobMetadata> = {},
  rest: Partial<Omit<TrainingJob, 'metadata'>> = {},
): TrainingJob {
  return TrainingJob.fromPartial({
    metadata: {
      id: 'j1',
      status: TrainingStatus.RUNNING,
      modelName: 'bolts',
      modelVersion: '2',
      modelType: ModelType.OBJECT_DETECTION,
      datasetId: 'd1',
      trainingStarted: new Date(Date.UTC(2026, 10, 21, 10)),
      tags: ['bolt', 'nut'],
      ...metadata,
    },
    ...rest,
  });
}
