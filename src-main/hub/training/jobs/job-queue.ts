import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { MODEL_META_FILE } from '../../../../proto/config/model-meta.ts';
import { ArmatureError, errorCodes, toArmatureError, type ErrorCode } from '../../../base/errors.ts';
import type { Clock, Timer } from '../../../base/clock.ts';
import type { Logger } from '../../../base/logger.ts';
import type { TrainingDatasets } from '../datasets/training-datasets.ts';
import { modelKinds, taskOf } from '../model-types.ts';
import { readResults } from '../models/model-card.ts';
import type { ModelStore } from '../models/model-store.ts';
import type { RegistryScripts } from '../registry-scripts/registry-scripts.ts';
import type {
  TaskScript,
  TrainingEvents,
  TrainingResult,
  TrainingRunner,
  TrainingState,
  TrainingTask,
} from '../runner/training-runner.ts';
import type { JobLogs, JobLogWriter } from './job-logs.ts';
import { isFinished } from './job-status.ts';
import type { TrainingJob, TrainingJobs } from './training-jobs.ts';

export interface JobQueueOptions {
  readonly jobs: TrainingJobs;
  readonly logs: JobLogs;
  readonly datasets: TrainingDatasets;
  readonly models: ModelStore;
  readonly scripts: RegistryScripts;
  readonly runner: TrainingRunner;
  readonly jobsAtOnce: () => Promise<number>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A job that was running when the hub was killed this often fails: it may be the reason for that. */
const MAX_ATTEMPTS = 2;
/** Wait after a failure of the store. */
const RETRY_MS = 10_000;

/** Size of a model card. Those of the hub's own scripts have some kilobytes. */
const MAX_CARD_BYTES = 4 * 2 ** 20;

/** A job in progress. */
interface Run {
  readonly abort: AbortController;
  /** As its runner last reported it. */
  state: TrainingState | undefined;
  readonly ended: Promise<void>;
  /** Whether its script has ended and the result is being stored: then it can no longer be canceled. */
  isEnding: boolean;
  /** Set once somebody cancels it; resolves to whether its status was changed. */
  canceling: Promise<boolean> | undefined;
}

/** Starts jobs in the order in which they were submitted, up to a number at once, and follows each to its end. */
export class JobQueue {
  readonly #options: JobQueueOptions;
  readonly #runs = new Map<string, Run>();
  readonly #leaving = new AbortController();
  #filling: Promise<void> = Promise.resolve();
  #retry: Timer | undefined;
  #isClosing = false;

  constructor(options: JobQueueOptions) {
    this.#options = options;
  }

  /**
   * Continues the jobs that an earlier run of the hub left unfinished. A training that outlived the hub is followed to
   * its end. One that ended with the hub is started again once, and fails if that happens again.
   */
  async start(): Promise<void> {
    const { jobs, runner, logger } = this.#options;
    const held: TrainingJob[] = [];
    for (const job of await jobs.inStatus('canceling')) {
      if (await runner.holds(job.id)) held.push(job);
      else await jobs.move(job.id, 'canceled');
    }
    for (const job of await jobs.inStatus('running')) {
      if (await this.#isPublished(job)) continue;
      if (await runner.holds(job.id)) held.push(job);
      else await this.#recover(job);
    }
    await runner.start(held.map(({ id }) => id)).catch((thrown: unknown) => {
      logger.warn(`Files of earlier training jobs are not removed: ${toArmatureError(thrown).message}`);
    });
    for (const job of held) this.#begin(job);
    this.wake();
  }

  /** Starts waiting jobs if there is room. */
  wake(): void {
    this.#filling = this.#filling
      .then(() => this.#fill())
      .catch((thrown: unknown) => {
        this.#options.logger.error(`Training jobs cannot be begun: ${toArmatureError(thrown).message}`);
        this.#retry ??= this.#options.clock.after(RETRY_MS, () => {
          this.#retry = undefined;
          this.wake();
        });
      });
  }

  /**
   * Takes a job out of the queue, or begins to cancel a running one.
   * @throws {ArmatureError} `call.not_found`, `call.failed_precondition` if it has ended or its result is being stored
   */
  async cancel(id: string): Promise<void> {
    const { jobs } = this.#options;
    for (;;) {
      const job = await jobs.get(id);
      if (job.status === 'canceling') return;
      if (isFinished(job.status)) {
        throw new ArmatureError(
          'call.failed_precondition',
          `The training job "${id}" is ${job.status}: there is nothing to cancel. Delete it if you do not need it.`,
        );
      }
      if (job.status === 'pending') {
        if (await jobs.move(job.id, 'canceled')) return;
        continue; // It was started meanwhile.
      }
      if (await this.#cancelRun(job)) return;
    }
  }

  /** @returns false if its status has changed meanwhile */
  async #cancelRun(job: TrainingJob): Promise<boolean> {
    const { jobs } = this.#options;
    await this.#filling;
    const run = this.#runs.get(job.id);
    if (run === undefined) {
      // It has ended, but its end could not be stored: nothing of it runs any more.
      return (await jobs.move(job.id, 'canceling')) && (await jobs.move(job.id, 'canceled'));
    }
    if (run.isEnding) {
      throw new ArmatureError(
        'call.failed_precondition',
        `The training job "${job.id}" has just ended, and its result is being stored: look at it in a moment.`,
      );
    }
    run.canceling ??= jobs.move(job.id, 'canceling');
    try {
      if (!(await run.canceling)) return false;
    } catch (thrown) {
      run.canceling = undefined;
      throw thrown;
    }
    run.abort.abort();
    return true;
  }

  /** What the runner reports about a job in progress; undefined if it reports nothing. */
  stateOf(id: string): TrainingState | undefined {
    return this.#runs.get(id)?.state;
  }

  /** Ends running jobs and puts them back into the queue for the next start. Trainings that outlive the hub go on. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#retry?.cancel();
    this.#leaving.abort();
    await this.#filling;
    for (const { abort } of this.#runs.values()) abort.abort();
    await Promise.all([...this.#runs.values()].map(({ ended }) => ended));
  }

  /** Completes a job whose model was published just before the hub ended. @returns whether that was so */
  async #isPublished(job: TrainingJob): Promise<boolean> {
    const { models } = this.#options;
    const { organization_id: organizationId, model_name: name, model_version: version } = job;
    const versions = await models.versionsOf(organizationId, name).catch((thrown: unknown): readonly string[] => {
      this.#options.logger.error(`Models of training jobs cannot be listed: ${toArmatureError(thrown).message}`);
      return [];
    });
    // Nobody else may publish this version, so it is the job's model.
    if (!versions.includes(version)) return false;
    await this.#options.jobs.move(job.id, 'completed', { model_id: models.idOf(organizationId, name) });
    return true;
  }

  async #recover(job: TrainingJob): Promise<void> {
    const { jobs } = this.#options;
    if (job.attempts < MAX_ATTEMPTS) {
      await jobs.move(job.id, 'pending');
      await this.#note(job, 'The hub ended while this job ran: the job starts again.');
      return;
    }
    const failure = `The hub ended while this job ran, ${job.attempts} times: find out why, and submit the job again.`;
    await this.#note(job, failure);
    await this.#options.jobs.move(job.id, 'failed', { failure, failure_code: errorCodes['server.stopping'].status });
  }

  async #fill(): Promise<void> {
    const { jobs, jobsAtOnce } = this.#options;
    // Repeats until there is no room: a job that was canceled meanwhile leaves its place to the next one.
    for (;;) {
      const free = (await jobsAtOnce()) - this.#runs.size;
      const waiting = free > 0 && !this.#isClosing ? await jobs.inStatus('pending', free) : [];
      if (waiting.length === 0) return;
      for (const job of waiting) {
        if (this.#isClosing) return;
        const begun = await jobs.move(job.id, 'running', {
          attempts: job.attempts + 1,
          started_at: this.#options.clock.now(),
        });
        if (begun) this.#begin({ ...job, status: 'running', attempts: job.attempts + 1 });
      }
    }
  }

  #begin(job: TrainingJob): void {
    const abort = new AbortController();
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const isCanceling = job.status === 'canceling';
    const run: Run = {
      abort,
      state: undefined,
      ended,
      isEnding: false,
      canceling: isCanceling ? Promise.resolve(true) : undefined,
    };
    if (isCanceling) abort.abort();
    this.#runs.set(job.id, run);
    void this.#run(job, run)
      .catch((thrown: unknown) => {
        this.#options.logger.error(
          `Training job ${job.id} is stuck until the hub is restarted: ${toArmatureError(thrown).message}`,
        );
      })
      .finally(() => {
        this.#runs.delete(job.id);
        resolve();
        this.wake();
      });
  }

  async #run(job: TrainingJob, run: Run): Promise<void> {
    const { runner, logs, jobs, datasets, logger } = this.#options;
    const log = await logs.open(job.id);
    const stored: Promise<void>[] = [];
    const events: TrainingEvents = {
      log: (level, line) => log.line(level, line),
      epoch: (epoch) => {
        const adding = jobs.addEpoch(job.id, epoch).catch((thrown: unknown) => {
          logger.warn(`An epoch of training job ${job.id} is not stored: ${toArmatureError(thrown).message}`);
        });
        stored.push(adding);
      },
      state: (state) => {
        const hasBegun = run.state?.isWaiting === true && !state.isWaiting;
        run.state = state;
        if (hasBegun) stored.push(this.#setStarted(job));
      },
      stored: async () => {
        await Promise.all(stored.splice(0));
        await log.flush();
      },
    };
    const isCustom = job.registry_item_id !== '';
    const task: TrainingTask = {
      jobId: job.id,
      modelType: job.model_type,
      labels: job.tags,
      snapshot: snapshotName(job),
      writeDataset: (folder: string) =>
        datasets.write(job.snapshot_id, folder, {
          task: isCustom ? undefined : taskOf(job.model_type),
          labels: job.tags,
        }),
      script: isCustom ? this.#scriptOf(job) : undefined,
    };
    try {
      const result = await runner.run(task, events, run.abort.signal, this.#leaving.signal);
      await Promise.all(stored);
      await this.#finish(job, run, result, log);
    } finally {
      await log.close();
    }
  }

  /** The script is looked up only when the job runs: a version never changes, but it may have been deleted. */
  #scriptOf(job: TrainingJob): TaskScript {
    const { scripts } = this.#options;
    return {
      arguments: job.arguments,
      unpack: async (folder, maxBytes) => {
        const { organization_id, registry_item_id, registry_item_version } = job;
        const found = await scripts.find(organization_id, registry_item_id, registry_item_version);
        return scripts.unpack(found, folder, maxBytes);
      },
    };
  }

  async #finish(job: TrainingJob, run: Run, result: TrainingResult, log: JobLogWriter): Promise<void> {
    // No await between the check and the assignment: either it is canceled, or nobody can cancel it any more.
    if (run.canceling === undefined) run.isEnding = true;
    if (result.kind === 'left') {
      log.note('info', 'The hub is ending: the training goes on without it, and is found again with its next start.');
      return;
    }
    try {
      if (!run.isEnding && (await run.canceling) === true) {
        log.note('info', 'Canceled.');
        await log.flush();
        await this.#options.jobs.move(job.id, 'canceled');
      } else if (result.kind === 'trained') {
        await this.#publish(job, result.folder, log);
      } else if (result.kind === 'failed') {
        await this.#fail(job, result.code, result.message, log);
      } else {
        log.note('info', 'The hub is ending: this job starts again when the hub does.');
        // The job is not to blame, so the attempt does not count.
        await this.#options.jobs.move(job.id, 'pending', { attempts: job.attempts - 1 });
      }
    } finally {
      if (result.kind === 'trained') await result.remove();
    }
  }

  /** Stores the start time of a job that has waited in the queue of its runner until now. */
  async #setStarted({ id }: TrainingJob): Promise<void> {
    const { jobs, clock, logger } = this.#options;
    await jobs.setStarted(id, clock.now()).catch((thrown: unknown) => {
      logger.warn(`The start time of training job ${id} is not stored: ${toArmatureError(thrown).message}`);
    });
  }

  async #publish(job: TrainingJob, folder: string, log: JobLogWriter): Promise<void> {
    const { models } = this.#options;
    try {
      const card = await cardIn(folder);
      const modelId = await models.publish({
        organizationId: job.organization_id,
        name: job.model_name,
        version: job.model_version,
        folder,
        isWhole: job.registry_item_id !== '',
        modelType: modelKinds.get(job.model_type) ?? 'unknown',
        author: `training job ${job.id}`,
        metadata: { ...card, snapshot: snapshotName(job), snapshot_id: job.snapshot_id },
      });
      log.note('info', `The model is stored as version ${job.model_version} of ${job.model_name}.`);
      await log.flush();
      await this.#options.jobs.move(job.id, 'completed', {
        model_id: modelId,
        results: JSON.stringify(readResults(card)),
      });
    } catch (thrown) {
      const { code, message } = toArmatureError(thrown);
      await this.#fail(job, code, message, log);
    }
  }

  async #fail(job: TrainingJob, code: ErrorCode, message: string, log: JobLogWriter): Promise<void> {
    log.note('error', message);
    // The log is complete before anybody can see that the job has ended.
    await log.flush();
    await this.#options.jobs.move(job.id, 'failed', { failure: message, failure_code: errorCodes[code].status });
  }

  async #note(job: TrainingJob, message: string): Promise<void> {
    const log = await this.#options.logs.open(job.id);
    log.note('warn', message);
    await log.close();
  }
}

/** The name of a dataset in a model card: its id and the number of the snapshot. */
function snapshotName({ dataset_id: dataset, snapshot_number: number }: TrainingJob): string {
  return `${dataset}@${number}`;
}

/** The card that the script wrote about its model; empty if there is none or it is invalid. */
async function cardIn(folder: string): Promise<Readonly<Record<string, unknown>>> {
  const file = path.join(folder, MODEL_META_FILE);
  try {
    if ((await stat(file)).size > MAX_CARD_BYTES) return {};
    const card: unknown = JSON.parse(await readFile(file, 'utf8'));
    return typeof card === 'object' && card !== null && !Array.isArray(card) ? { ...card } : {};
  } catch {
    // A custom script may write none.
    return {};
  }
}
