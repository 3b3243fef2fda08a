import { toArmatureError } from '../../base/errors.ts';
import type { LeveledLogger } from '../logging/log-registry.ts';
import { isRunnable, isSameCall, isSameJob, type JobConfig } from './job-config.ts';
import { JobHistory, type JobStatus } from './job-history.ts';
import type { Job, JobOptions } from './job.ts';
import { describeSchedule } from './schedule.ts';

export interface JobsOptions extends Omit<JobOptions, 'history' | 'logger'> {
  /** The log of jobs in general. */
  readonly logger: LeveledLogger;
  /** The logger of one job. */
  readonly loggerFor: (job: string) => LeveledLogger;
}

/**
 * Calls that the machine makes by itself, according to its configuration. The code that makes them is loaded with the
 * first job. Jobs are independent: one that is slow or fails does not delay others.
 */
export class Jobs {
  readonly #options: JobsOptions;
  readonly #jobs = new Map<string, Job>();
  readonly #histories = new Map<string, JobHistory>();
  #wanted: ReadonlyMap<string, JobConfig> = new Map();
  #isClosed = false;

  constructor(options: JobsOptions) {
    this.#options = options;
  }

  /**
   * Applies the jobs of a configuration. Removed jobs, and those with a changed call, end at once; new ones start when
   * the resources are built.
   * @param built settles when the resources of the configuration are ready or have failed
   */
  apply(configs: readonly JobConfig[], built: Promise<unknown>): void {
    if (this.#isClosed) return;
    const { logger } = this.#options;
    const wanted = new Map(configs.filter(isRunnable).map((one) => [one.name, one]));
    this.#wanted = wanted;
    for (const [name, job] of this.#jobs) {
      const next = wanted.get(name);
      if (next?.schedule !== undefined && isSameCall(job.config, next)) {
        if (!isSameJob(job.config, next)) {
          logger.info(`Job ${name} changed: ${describeJob(next)}.`);
          job.change(next, next.schedule);
        }
        continue;
      }
      job.close();
      this.#jobs.delete(name);
      if (next !== undefined) continue;
      const isLeft = configs.some((one) => one.name === name);
      logger.info(`Job ${name} ${isLeft ? 'is disabled or wrong now, and has ended' : 'was removed'}.`);
    }
    for (const name of this.#histories.keys()) if (!wanted.has(name)) this.#histories.delete(name);
    if (wanted.size > this.#jobs.size) void this.#begin(wanted, built);
  }

  /** Results of the last runs, in the order of the configuration. */
  statuses(): readonly JobStatus[] {
    return [...this.#wanted.keys()].flatMap((name) => {
      const history = this.#histories.get(name);
      return history === undefined ? [] : [{ name, successes: history.successes, failures: history.failures }];
    });
  }

  /** Ends all jobs, with their current runs. */
  close(): void {
    this.#isClosed = true;
    for (const job of this.#jobs.values()) job.close();
    this.#jobs.clear();
  }

  /** Never rejects. */
  async #begin(wanted: ReadonlyMap<string, JobConfig>, built: Promise<unknown>): Promise<void> {
    const [loaded] = await Promise.allSettled([import('./job.ts'), built]);
    if (this.#isClosed || this.#wanted !== wanted) return;
    if (loaded.status === 'rejected') {
      this.#options.logger.error(`Jobs cannot be run: ${toArmatureError(loaded.reason).message}`);
      return;
    }
    for (const config of wanted.values()) this.#start(config, loaded.value.Job);
  }

  #start(config: JobConfig, JobClass: typeof Job): void {
    const { name, schedule } = config;
    if (schedule === undefined || this.#jobs.has(name)) return;
    const { logger, loggerFor } = this.#options;
    const history = this.#histories.get(name) ?? new JobHistory();
    this.#histories.set(name, history);
    logger.info(`Job ${name} was created: ${describeJob(config)}.`);
    this.#jobs.set(name, new JobClass(config, schedule, { ...this.#options, history, logger: loggerFor(name) }));
  }
}

function describeJob({ method, resource, schedule }: JobConfig): string {
  return `${method} of ${resource} ${schedule === undefined ? '' : describeSchedule(schedule)}`;
}
