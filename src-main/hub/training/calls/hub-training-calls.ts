import type {
  HubTrainingServiceDefinition,
  TrainingSettings as SettingsMessage,
} from '../../../../proto/gen/core/hub/v1/training.ts';
import { toArmatureError } from '../../../base/errors.ts';
import type { HubHandlers } from '../../access/guarded.ts';
import { requireHubOwner } from '../../access/hub-owner.ts';
import type { Store } from '../../storage/store.ts';
import type { JobPreparation } from '../jobs/job-preparation.ts';
import type { JobLogs } from '../jobs/job-logs.ts';
import type { JobQueue } from '../jobs/job-queue.ts';
import { isFinished } from '../jobs/job-status.ts';
import type { TrainingJobs } from '../jobs/training-jobs.ts';
import type { TrainingRunner } from '../runner/training-runner.ts';
import { readSettings, writeSettings, type TrainingSettings } from '../training-settings.ts';
import { requireJob } from './job-access.ts';
import { readLog } from './log-page.ts';
import { epochMessage, jobMessage, resultsMessage } from './wire-jobs.ts';

export interface HubTrainingCallsOptions {
  readonly store: Store;
  readonly jobs: TrainingJobs;
  readonly logs: JobLogs;
  readonly preparation: JobPreparation;
  readonly runner: TrainingRunner;
  /** Called after the settings changed: more jobs may run now. */
  readonly onSettings: () => void;
  /** What the runner reports about a job in progress; undefined if it reports nothing. */
  readonly stateOf: JobQueue['stateOf'];
}

/** `core.hub.v1.HubTrainingService`. */
export function hubTrainingCalls(options: HubTrainingCallsOptions): HubHandlers<typeof HubTrainingServiceDefinition> {
  const { store, jobs, logs, preparation, runner, onSettings, stateOf } = options;
  return {
    async prepareJob(request, caller) {
      const { organizationId } = request;
      await caller.require('training.manage', { type: 'organization', id: organizationId }, store.db);
      return preparation.prepare(request);
    },

    async listJobs({ organizationId }, caller) {
      await caller.require('training.manage', { type: 'organization', id: organizationId }, store.db);
      const rows = await jobs.list(organizationId);
      const [queue, epochs] = await Promise.all([jobs.queue(), jobs.lastEpochs(rows.map(({ id }) => id))]);
      return { jobs: rows.map((job) => jobMessage(job, queue, epochs.get(job.id), stateOf(job.id))) };
    },

    async getJob({ id }, caller) {
      const job = await requireJob(id, caller, jobs);
      const [queue, epochs] = await Promise.all([jobs.queue(), jobs.epochs(id)]);
      return {
        job: jobMessage(job, queue, epochs.at(-1), stateOf(id)),
        epochs: epochs.map(epochMessage),
        results: job.results && resultsMessage(job.results),
      };
    },

    async getJobLog({ id, pageToken }, caller) {
      // Read before the log: once a job is finished, nothing more is written to its log.
      const { status } = await requireJob(id, caller, jobs);
      const page = await readLog(logs, id, pageToken);
      return { logs: page.entries, nextPageToken: page.nextToken, isOver: page.isWhole && isFinished(status) };
    },

    async getRunner({ organizationId }, caller) {
      await caller.require('training.manage', { type: 'organization', id: organizationId }, store.db);
      const trouble = await runner.check().then(
        () => '',
        (thrown: unknown) => toArmatureError(thrown).message,
      );
      return { kind: await runner.kind(), trouble };
    },

    async getTrainingSettings(_request, caller) {
      await requireHubOwner(caller, store.db);
      return { settings: settingsMessage(await readSettings(store)) };
    },

    async setTrainingSettings({ settings }, caller) {
      await requireHubOwner(caller, store.db);
      await writeSettings(store, settings === undefined ? {} : settingsIn(settings));
      onSettings();
      return {};
    },
  };
}

function settingsMessage({ slurm, ...rest }: TrainingSettings): SettingsMessage {
  return { ...rest, slurm: { ...slurm, options: [...slurm.options] } };
}

/** Leaves out 0 and empty texts, which stand for the default. `writeSettings` checks the values. */
function settingsIn(message: SettingsMessage): Partial<TrainingSettings> {
  const { jobsAtOnce, python, cpus, memoryMb, diskMb, timeLimitMinutes, runner, slurm } = message;
  const entries = Object.entries({ jobsAtOnce, python, cpus, memoryMb, diskMb, timeLimitMinutes, runner, slurm });
  return Object.fromEntries(entries.filter(([, value]) => value !== 0 && value !== '' && value !== undefined));
}
