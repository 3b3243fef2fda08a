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

/** The status that a number of the wire stands for; undefined for all of them, and for one that is none. */
export function statusOf(wire: TrainingStatus): JobStatus | undefined {
  return (Object.keys(statuses) as JobStatus[]).find((status) => statuses[status] === wire);
}

/** The status to tell: a job that was given to a queue behind the hub, and waits there, is pending. */
export function toldStatus(job: TrainingJob, state: TrainingState | undefined): JobStatus {
  return job.status === 'running' && state?.isWaiting === true ? 'pending' : job.status;
}

/** A job as the public service has it. @param state what its runner tells of it */
export function metadataMessage(job: TrainingJob, state: TrainingState | undefined): TrainingJobMetadata {
  const startedAt = state?.isWaiting === true ? null : job.started_at;
  const isCustom = job.registry_item_id !== '';
  return {
    id: job.id,
    status: statuses[toldStatus(job, state)],
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
    // What a script of somebody else makes is known when it is there.
    modelFramework: isCustom ? ModelFramework.UNSPECIFIED : ModelFramework.ONNX,
    isCustomJob: isCustom,
    registryItemId: job.registry_item_id,
    registryItemVersion: job.registry_item_version,
    arguments: { ...job.arguments },
    containerVersion: job.container_version,
  };
}

/** A job with what the public service does not tell. @param queue places of the jobs that wait, by their numbers */
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

/** How good a model is, as it is sent. */
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

/** An epoch as it is sent. */
export function epochMessage({ metrics, ...rest }: Epoch): EpochMessage {
  return { ...rest, metrics: { ...metrics } };
}

/** A line of a log as it is sent. */
export function logMessage({ level, time, message }: JobLogEntry): TrainingJobLogEntry {
  return { level, time: new Date(time), message };
}
