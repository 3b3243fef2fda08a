import {
  ModelFramework,
  TrainingStatus,
  type TrainingJobLogEntry,
  type TrainingJobMetadata,
} from '../../../../proto/gen/core/app/mltraining/v1/ml_training.ts';
import type {
  TrainingEpoch as EpochMessage,
  TrainingJob as JobMessage,
} from '../../../../proto/gen/core/hub/v1/training.ts';
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
    modelFramework: ModelFramework.ONNX,
    isCustomJob: false,
    registryItemId: '',
    registryItemVersion: '',
    arguments: {},
    containerVersion: '',
  };
}

/** A job with what the public service does not tell. @param queue numbers of the jobs that wait, in their order */
export function jobMessage(
  job: TrainingJob,
  queue: readonly number[],
  progress: Epoch | undefined,
  state: TrainingState | undefined,
): JobMessage {
  return {
    metadata: metadataMessage(job, state),
    queuePosition: queue.indexOf(job.number) + 1,
    snapshot: BigInt(job.snapshot_number),
    attempts: job.attempts,
    progress: progress && epochMessage(progress),
    runnerNote: state?.note ?? '',
    noNewsSince: state?.noNewsSince === undefined ? undefined : new Date(state.noNewsSince),
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
