import { rm } from 'node:fs/promises';
import path from 'node:path';
import { MLTrainingServiceDefinition } from '../../../proto/gen/core/app/mltraining/v1/ml_training.ts';
import { HubTrainingServiceDefinition } from '../../../proto/gen/core/hub/v1/training.ts';
import type { Clock } from '../../base/clock.ts';
import { toArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { serve, type Feature } from '../access/feature.ts';
import type { SnapshotUses } from '../datasets/snapshot-uses.ts';
import type { Store } from '../storage/store.ts';
import { hubTrainingCalls } from './calls/hub-training-calls.ts';
import { trainingCalls } from './calls/training-calls.ts';
import type { TrainingDatasets } from './datasets/training-datasets.ts';
import { JobLogs } from './jobs/job-logs.ts';
import { JobPreparation } from './jobs/job-preparation.ts';
import { JobQueue } from './jobs/job-queue.ts';
import { TrainingJobs } from './jobs/training-jobs.ts';
import type { ModelStore } from './models/model-store.ts';
import type { RegistryScripts } from './registry-scripts/registry-scripts.ts';
import { ChosenRunner } from './runner/chosen-runner.ts';
import { LocalRunner } from './runner/local/local-runner.ts';
import { SlurmRunner } from './runner/slurm/slurm-runner.ts';
import type { TrainingRunner } from './runner/training-runner.ts';
import { readSettings } from './training-settings.ts';

export interface TrainingOptions {
  readonly store: Store;
  readonly datasets: TrainingDatasets;
  /** Registry of the users of snapshots, to which jobs are added. */
  readonly snapshotUses: SnapshotUses;
  /** Folder for the files of runs. */
  readonly folder: string;
  /** No program may be started. */
  readonly isUntrusted: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly models: ModelStore;
  readonly scripts: RegistryScripts;
  /** Default: the runner that the settings name. */
  readonly runner?: TrainingRunner;
}

/** Training jobs: their services, queue and runners. */
export class Training {
  readonly feature: Feature;
  readonly queue: JobQueue;
  readonly #options: TrainingOptions;

  constructor(options: TrainingOptions) {
    this.#options = options;
    const { store, datasets, models, scripts, folder, isUntrusted, clock, logger } = options;
    const settings = () => readSettings(store);
    const jobs = new TrainingJobs(store, clock);
    options.snapshotUses.add((snapshotId, db) => jobs.userOf(snapshotId, db));
    const logs = new JobLogs(store, clock, logger);
    const place = (name: string) => ({ folder: path.join(folder, name), settings, clock, isUntrusted });
    const runner =
      options.runner ??
      new ChosenRunner(
        { local: new LocalRunner(place('runs')), slurm: new SlurmRunner(place('slurm')) },
        async () => (await settings()).runner,
      );
    this.queue = new JobQueue({
      jobs,
      logs,
      datasets,
      models,
      scripts,
      runner,
      jobsAtOnce: async () => (await settings()).jobsAtOnce,
      clock,
      logger,
    });
    const { queue } = this;
    const preparation = new JobPreparation({ jobs, datasets, models, runner });
    this.feature = {
      services: [
        serve(
          MLTrainingServiceDefinition,
          trainingCalls({ store, jobs, logs, queue, datasets, models, scripts, runner }),
        ),
        serve(
          HubTrainingServiceDefinition,
          hubTrainingCalls({
            ...{ store, jobs, logs, preparation, runner },
            onSettings: () => queue.wake(),
            stateOf: (id) => queue.stateOf(id),
          }),
        ),
      ],
      close: () => queue.close(),
    };
  }

  /** Continues what an earlier run of the hub left unfinished, and starts waiting jobs. */
  async start(): Promise<void> {
    const { folder, logger } = this.#options;
    // Copies of datasets, which earlier releases made for training.
    await rm(path.join(folder, 'snapshots'), { recursive: true, force: true }).catch((thrown: unknown) => {
      logger.warn(`Copies of datasets are not removed: ${toArmatureError(thrown).message}`);
    });
    await this.queue.start();
  }
}
