import { scriptArgumentsProblem } from '../../../../proto/config/training-script.ts';
import {
  TrainingStatus,
  type MLTrainingServiceDefinition,
} from '../../../../proto/gen/core/app/mltraining/v1/ml_training.ts';
import { ArmatureError } from '../../../base/errors.ts';
import type { HubHandlers } from '../../access/guarded.ts';
import type { Target } from '../../places/place.ts';
import type { Store } from '../../storage/store.ts';
import { requireReady } from '../datasets/readiness.ts';
import type { TrainingDatasets } from '../datasets/training-datasets.ts';
import type { JobLogs } from '../jobs/job-logs.ts';
import type { JobQueue } from '../jobs/job-queue.ts';
import { modelTaken } from '../jobs/job-preparation.ts';
import { checkModel, checkRequest } from '../jobs/job-request.ts';
import type { NewTrainingJob, TrainingJobs } from '../jobs/training-jobs.ts';
import { modelTypeNamed } from '../model-types.ts';
import type { ModelStore } from '../models/model-store.ts';
import type { RegistryScripts } from '../registry-scripts/registry-scripts.ts';
import type { TrainingRunner } from '../runner/training-runner.ts';
import { requireJob } from './job-access.ts';
import { readLog } from './log-page.ts';
import { metadataMessage, reportedStatus, statusOf } from './wire-jobs.ts';

export interface TrainingCallsOptions {
  readonly store: Store;
  readonly jobs: TrainingJobs;
  readonly logs: JobLogs;
  readonly queue: JobQueue;
  readonly datasets: TrainingDatasets;
  readonly models: ModelStore;
  readonly scripts: RegistryScripts;
  readonly runner: TrainingRunner;
}

/** `core.app.mltraining.v1.MLTrainingService`, without containers. */
export function trainingCalls(options: TrainingCallsOptions): HubHandlers<typeof MLTrainingServiceDefinition> {
  const { store, jobs, logs, queue, datasets, models, scripts, runner } = options;
  const organization = (id: string): Target => ({ type: 'organization', id });

  const requireNewVersion = async (organizationId: string, name: string, version: string): Promise<void> => {
    await jobs.requireNewVersion(organizationId, name, version);
    if ((await models.versionsOf(organizationId, name)).includes(version)) throw modelTaken(name, version);
  };
  /**
   * Adds snapshot and job in one transaction: a refused job leaves no snapshot, and nobody can delete the snapshot
   * before its job exists.
   */
  const submit = async (job: Omit<NewTrainingJob, 'snapshot'>): Promise<{ id: string }> => {
    const id = await store.transaction(async (tx) =>
      jobs.add({ ...job, snapshot: await datasets.freeze(job.datasetId, tx) }, tx),
    );
    queue.wake();
    return { id };
  };

  return {
    async submitTrainingJob(request, caller) {
      const { organizationId, datasetId, modelType } = request;
      await caller.require('training.manage', organization(organizationId), store.db);
      const { modelName, modelVersion, task, tags } = checkRequest(request);
      await runner.check();
      await requireNewVersion(organizationId, modelName, modelVersion);
      const { counts } = await datasets.summary(organizationId, datasetId);
      requireReady(task, tags, await datasets.chosen(datasetId, counts, tags));
      return submit({ organizationId, datasetId, modelName, modelVersion, modelType, tags });
    },

    async submitCustomTrainingJob(request, caller) {
      const { organizationId, datasetId, registryItemId, modelName, modelVersion } = request;
      await caller.require('training.manage', organization(organizationId), store.db);
      checkModel(modelName, modelVersion);
      const problem = scriptArgumentsProblem(request.arguments);
      if (problem !== undefined) throw new ArmatureError('call.bad_argument', `"arguments": ${problem}`);
      await runner.check('registry');
      await requireNewVersion(organizationId, modelName, modelVersion);
      await datasets.summary(organizationId, datasetId);
      const found = await scripts.find(organizationId, registryItemId, request.registryItemVersion);
      return submit({
        ...{ organizationId, datasetId, modelName, modelVersion, tags: [] },
        modelType: modelTypeNamed(found.metadata['model_type']),
        script: {
          itemId: registryItemId,
          version: found.version,
          containerVersion: request.containerVersion,
          arguments: request.arguments,
        },
      });
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
      // Running jobs that wait in the queue of their runner are reported as pending.
      const rows = await jobs.list(organizationId, wanted === 'pending' ? ['pending', 'running'] : wanted && [wanted]);
      const all = rows.map((job) => ({ job, state: queue.stateOf(job.id) }));
      const chosen = all.filter(({ job, state }) => wanted === undefined || reportedStatus(job, state) === wanted);
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
      await requireJob(id, caller, jobs);
      const page = await readLog(logs, id, pageToken);
      // Public clients ask until there is no token. For a running job with a token they would ask without a pause.
      return { logs: page.entries, nextPageToken: page.isWhole ? '' : page.nextToken };
    },
  };
}
