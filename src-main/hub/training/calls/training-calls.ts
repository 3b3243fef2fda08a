import {
  TrainingStatus,
  type MLTrainingServiceDefinition,
} from '../../../../proto/gen/core/app/mltraining/v1/ml_training.ts';
import { ArmatureError } from '../../../base/errors.ts';
import type { HubHandlers } from '../../access/guarded.ts';
import type { Target } from '../../places/place.ts';
import { notFound } from '../../places/fleet-errors.ts';
import type { Store } from '../../storage/store.ts';
import type { DatasetSource } from '../datasets/dataset-source.ts';
import { requireReady } from '../datasets/readiness.ts';
import type { JobLogs } from '../jobs/job-logs.ts';
import type { JobQueue } from '../jobs/job-queue.ts';
import { modelTaken } from '../jobs/job-preparation.ts';
import { checkRequest } from '../jobs/job-request.ts';
import { isFinished } from '../jobs/job-status.ts';
import type { TrainingJobs } from '../jobs/training-jobs.ts';
import type { ModelStore } from '../models/model-store.ts';
import type { TrainingRunner } from '../runner/training-runner.ts';
import { requireJob } from './job-access.ts';
import { logMessage, metadataMessage, statusOf, toldStatus } from './wire-jobs.ts';

const LOG_PAGE = 100;

export interface TrainingCallsOptions {
  readonly store: Store;
  readonly jobs: TrainingJobs;
  readonly logs: JobLogs;
  readonly queue: JobQueue;
  readonly source: DatasetSource;
  readonly models: ModelStore;
  readonly runner: TrainingRunner;
}

/** `core.app.mltraining.v1.MLTrainingService`, without scripts of the registry. */
export function trainingCalls(options: TrainingCallsOptions): HubHandlers<typeof MLTrainingServiceDefinition> {
  const { store, jobs, logs, queue, source, models, runner } = options;
  const organization = (id: string): Target => ({ type: 'organization', id });

  return {
    async submitTrainingJob(request, caller) {
      const { organizationId, datasetId, modelType } = request;
      await caller.require('training.manage', organization(organizationId), store.db);
      const { modelName, modelVersion, task, tags } = checkRequest(request);
      await runner.check();
      await jobs.requireNewVersion(organizationId, modelName, modelVersion);
      if ((await models.versionsOf(organizationId, modelName)).includes(modelVersion)) {
        throw modelTaken(modelName, modelVersion);
      }
      const summary = await source.summary(datasetId);
      if (summary.organizationId !== organizationId) throw notFound('dataset', datasetId);
      const severalTags = await source.severalTags(datasetId, tags);
      requireReady(task, tags, { ...summary.counts, severalTags });
      const snapshot = await source.freeze(datasetId);
      try {
        const id = await jobs.add({ organizationId, datasetId, snapshot, modelName, modelVersion, modelType, tags });
        queue.wake();
        return { id };
      } catch (thrown) {
        await source.release(snapshot.id);
        throw thrown;
      }
    },

    async submitCustomTrainingJob({ organizationId }, caller) {
      await caller.require('training.manage', organization(organizationId), store.db);
      throw new ArmatureError(
        'call.unimplemented',
        'Scripts of the registry are not run yet: submit a job with one of the three model types of the hub.',
      );
    },

    async getTrainingJob({ id }, caller) {
      const job = await requireJob(id, caller, jobs);
      return { metadata: metadataMessage(job, queue.stateOf(id)) };
    },

    async listTrainingJobs({ organizationId, status }, caller) {
      await caller.require('training.manage', organization(organizationId), store.db);
      const wanted = statusOf(status);
      if (wanted === undefined && status !== TrainingStatus.UNSPECIFIED) {
        throw new ArmatureError('call.bad_argument', `"status" is ${status}; allowed are 0 (all) to 6 (canceling).`);
      }
      // Some that are under way wait behind their runner: they are told of as pending.
      const rows = await jobs.list(organizationId, wanted === 'pending' ? ['pending', 'running'] : wanted && [wanted]);
      const told = rows.map((job) => ({ job, state: queue.stateOf(job.id) }));
      const chosen = told.filter(({ job, state }) => wanted === undefined || toldStatus(job, state) === wanted);
      return { jobs: chosen.map(({ job, state }) => metadataMessage(job, state)) };
    },

    async cancelTrainingJob({ id }, caller) {
      await requireJob(id, caller, jobs);
      await queue.cancel(id);
      return {};
    },

    async deleteCompletedTrainingJob({ id }, caller) {
      await requireJob(id, caller, jobs);
      await jobs.delete(id);
      return {};
    },

    async getTrainingJobLogs({ id, pageToken }, caller) {
      // Read before the log: what is over has nothing more to write.
      const { status } = await requireJob(id, caller, jobs);
      const after = pageToken === undefined || pageToken === '' ? 0 : Number(pageToken);
      if (!Number.isSafeInteger(after) || after < 0) {
        throw new ArmatureError('call.bad_argument', '"page_token" is none of this log: begin without one.');
      }
      const entries = await logs.read(id, after, LOG_PAGE);
      const isOver = entries.length < LOG_PAGE && isFinished(status);
      const nextPageToken = isOver ? '' : String(entries.at(-1)?.number ?? after);
      return { logs: entries.map(logMessage), nextPageToken };
    },
  };
}
