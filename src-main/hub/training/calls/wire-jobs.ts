import {
  ModelFramework,
  TrainingStatus,
  type TrainingJobLogEntry,
  type TrainingJobMetadata,
} from '../../../../proto/gen/core/app/mltraining/v1/ml_training.ts';
import type {
  ModelResults as ResultsMessage,
  TrainingEpoch as EpochMessage,
  TrainingJob as JobMessage,
} from '../../../../proto/gen/core/hub/v1/training.ts';
import type { ModelResults } from '../models/model-card.ts';
import type { JobLogEntry } from '../jobs/job-logs.ts';
import type { JobStatus } from '../jobs/job-status.ts';
import type { Epoch, TrainingJob } from '../jobs/training-jobs.ts';
import type { TrainingState } from '../runner/training-runner.ts';

const statuses: Readonly<Record<JobStatus, TrainingStatus>> = {
  pending: TrainingStatus.PENDING,
  running: TrainingStatus.RUNNING,
  completed: TrainingStatus.COMPLETED,
  failed: TrainingStatus.FAILED,
  canceled: TrainingStatus.CANCELED,
  canceling: TrainingStatus.CANCELING,
};

/** The status of a wire value; undefined for "unspecified" and for unknown values. */
export function statusOf(wire: TrainingStatus): JobStatus | undefined {
  return (Object.keys(statuses) as JobStatus[]).find((status) => statuses[status] === wire);
}

/** The status that clients see: a running job that waits in the queue of its runner is pending. */
export function reportedStatus(job: TrainingJob, state: TrainingState | undefined): JobStatus {
  return job.status === 'running' && state?.isWaiting === true ? 'pending' : job.status;
}

/** A job for the public service. @param state as its runner reports it */
export function metadataMessage(job: TrainingJob, state: TrainingState | undefined): TrainingJobMetadata {
  const startedAt = state?.isWaiting === true ? null : job.started_at;
  const isCustom = job.registry_item_id !== '';
  return {
    id: job.id,
    status: statuses[reportedStatus(job, state)],
    createdOn: new Date(job.created_at),
    lastModified: new Date(job.modified_at),
    syncedModelId: job.model_id,
    errorStatus: job.status === 'failed' ? { code: job.failure_code, message: job.failure, details: [] } : undefined,
    trainingStarted: startedAt === null ? undefined : new Date(startedAt),
    trainingEnded: job.ended_at === null ? undefined : new Date(job.ended_at),
    datasetId: job.dataset_id,
    organizationId: job.organization_id,
    modelName: job.model_name,
    modelVersion: job.model_version,
    modelType: job.model_type,
    tags: [...job.tags],
    // The framework of a custom script's model is not known in advance.
    modelFramework: isCustom ? ModelFramework.UNSPECIFIED : ModelFramework.ONNX,
    isCustomJob: isCustom,
    registryItemId: job.registry_item_id,
    registryItemVersion: job.registry_item_version,
    arguments: { ...job.arguments },
    containerVersion: job.container_version,
  };
}

/**
 * A job for the hub's own service, with more than the public service has.
 * @param queue positions of the waiting jobs, by their numbers
 */
export function jobMessage(
  job: TrainingJob,
  queue: ReadonlyMap<number, number>,
  progress: Epoch | undefined,
  state: TrainingState | undefined,
): JobMessage {
  return {
    metadata: metadataMessage(job, state),
    queuePosition: queue.get(job.number) ?? 0,
    snapshot: BigInt(job.snapshot_number),
    attempts: job.attempts,
    progress: progress && epochMessage(progress),
    snapshotId: job.snapshot_id,
    lastNews: new Date(job.news_at),
    runnerNote: state?.note ?? '',
    noNewsSince: state?.noNewsSince === undefined ? undefined : new Date(state.noNewsSince),
  };
}

/** The results of a model, for the wire. */
export function resultsMessage({
  labels,
  metrics,
  confusion,
  worstPictures,
  seed,
  ...rest
}: ModelResults): ResultsMessage {
  return {
    ...rest,
    labels: [...labels],
    metrics: { ...metrics },
    confusion: confusion.map(({ label, names, rows }) => ({
      ...{ label, names: [...names] },
      rows: rows.map((counts) => ({ counts: [...counts] })),
    })),
    worstPictures: [...worstPictures],
    seed: seed === undefined ? undefined : BigInt(seed),
  };
}

/** An epoch, for the wire. */
export function epochMessage({ metrics, ...rest }: Epoch): EpochMessage {
  return { ...rest, metrics: { ...metrics } };
}

/** A line of a log, for the wire. */
export function logMessage({ level, time, message }: JobLogEntry): TrainingJobLogEntry {
  return { level, time: new Date(time), message };
}
