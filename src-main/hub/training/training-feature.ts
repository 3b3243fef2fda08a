import path from 'node:path';
import { MLTrainingServiceDefinition } from '../../../proto/gen/core/app/mltraining/v1/ml_training.ts';
import { HubTrainingServiceDefinition } from '../../../proto/gen/core/hub/v1/training.ts';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { serve, type Feature } from '../access/feature.ts';
import type { Store } from '../storage/store.ts';
import { hubTrainingCalls } from './calls/hub-training-calls.ts';
import { trainingCalls } from './calls/training-calls.ts';
import type { DatasetSource } from './datasets/dataset-source.ts';
import { JobLogs } from './jobs/job-logs.ts';
import { JobQueue } from './jobs/job-queue.ts';
import { TrainingJobs } from './jobs/training-jobs.ts';
import type { ModelStore } from './models/model-store.ts';
import { ChosenRunner } from './runner/chosen-runner.ts';
import { LocalRunner } from './runner/local/local-runner.ts';
import { SlurmRunner } from './runner/slurm/slurm-runner.ts';
import type { TrainingRunner } from './runner/training-runner.ts';
import { readSettings } from './training-settings.ts';

export interface TrainingOptions {
  readonly store: Store;
  readonly source: DatasetSource;
  /** For what runs leave on the disk. */
  readonly folder: string;
  /** No program may be started. */
  readonly isUntrusted: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly models: ModelStore;
  /** As the settings say where it is left out. */
  readonly runner?: TrainingRunner;
}

/** Training jobs: who may submit them, their queue, and what becomes of them. */
export class Training {
  readonly feature: Feature;
  readonly queue: JobQueue;

  constructor(options: TrainingOptions) {
    const { store, source, models, folder, isUntrusted, clock, logger } = options;
    const settings = () => readSettings(store);
    const jobs = new TrainingJobs(store, clock);
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
      source,
      models,
      runner,
      jobsAtOnce: async () => (await settings()).jobsAtOnce,
      clock,
      logger,
    });
    const { queue } = this;
    this.feature = {
      services: [
        serve(MLTrainingServiceDefinition, trainingCalls({ store, jobs, logs, queue, source, models, runner })),
        serve(
          HubTrainingServiceDefinition,
          hubTrainingCalls({
            ...{ store, jobs, runner },
            onSettings: () => queue.wake(),
            stateOf: (id) => queue.stateOf(id),
          }),
        ),
      ],
      close: () => queue.close(),
    };
  }

  /** Takes up what an earlier run of the hub left, and begins what waits. */
  start(): Promise<void> {
    return this.queue.start();
  }
}
