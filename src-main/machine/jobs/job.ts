import { toArmatureError } from '../../base/errors.ts';
import { DEFAULT_DEADLINE_MS } from '../../rpc/interceptors/deadline.ts';
import { callLocally, InProcessConnection } from '../../rpc/routing/local-call.ts';
import type { LeveledLogger } from '../logging/log-registry.ts';
import { jobCall, type JobCall, type JobCallContext } from './job-call.ts';
import type { JobConfig } from './job-config.ts';
import type { JobHistory } from './job-history.ts';
import { startJobTimer, type JobTimer, type JobTimerOptions } from './job-timer.ts';
import type { Schedule } from './schedule.ts';

/** If a response is larger, only its size is logged. */
const LARGEST_LOGGED_BYTES = 16_384;

export interface JobOptions extends JobCallContext, Pick<JobTimerOptions, 'clock' | 'random'> {
  readonly history: JobHistory;
  readonly logger: LeveledLogger;
}

/**
 * One job: makes its call when it is due, one run at a time. It has a connection of its own, like a client, so that
 * what it moves has an owner. The connection is closed with the job, and after a failed run.
 */
export class Job {
  readonly #options: JobOptions;
  #config: JobConfig;
  #timer: JobTimer | undefined;
  #changes = 0;
  #connection: InProcessConnection | undefined;
  /** Ends with the run under way. */
  #current: Promise<unknown> = Promise.resolve();
  readonly #end = new AbortController();

  constructor(config: JobConfig, schedule: Schedule, options: JobOptions) {
    this.#config = config;
    this.#options = options;
    this.#follow(schedule);
  }

  get config(): JobConfig {
    return this.#config;
  }

  /** Continues with another schedule and the same call. The schedule starts after a current run. */
  change(config: JobConfig, schedule: Schedule): void {
    const isOnTime = config.scheduleText === this.#config.scheduleText;
    this.#config = config;
    if (isOnTime) return;
    this.#timer?.stop();
    const change = ++this.#changes;
    void this.#current.then(() => {
      // The schedule may have changed again in the meantime, or the job ended.
      if (change === this.#changes && !this.#end.signal.aborted) this.#follow(schedule);
    });
  }

  /** Ends it: cancels the current run, and what the job moved is stopped. */
  close(): void {
    this.#timer?.stop();
    this.#end.abort();
    this.#connection?.close();
  }

  #follow(schedule: Schedule): void {
    const { clock, random } = this.#options;
    this.#timer = startJobTimer(schedule, { clock, random, run: () => this.#run() });
  }

  #run(): Promise<boolean> {
    const run = this.#runOnce();
    this.#current = run;
    return run;
  }

  /** Never rejects. */
  async #runOnce(): Promise<boolean> {
    const { clock, logger, history } = this.#options;
    const { name, resource, method } = this.#config;
    try {
      const call = jobCall(this.#config, this.#options);
      logger.debug('Job triggered.', { resource, method });
      this.#connection ??= new InProcessConnection(`job ${name}`);
      const { signal } = this.#end;
      const answer = await callLocally(
        call.router,
        this.#connection,
        call.path,
        call.request,
        DEFAULT_DEADLINE_MS,
        signal,
      );
      if (signal.aborted) return true;
      history.succeeded(clock.now());
      if (logger.isEnabled('debug')) logger.debug('Job succeeded.', { response: shown(call, answer) });
      return true;
    } catch (thrown) {
      if (this.#end.signal.aborted) return false;
      history.failed(clock.now());
      this.#connection?.close();
      this.#connection = undefined;
      logger.warn(`${method} of ${resource} failed: ${toArmatureError(thrown).message}`);
      return false;
    }
  }
}

function shown({ responseType }: JobCall, answer: Uint8Array): unknown {
  if (responseType === undefined || answer.length > LARGEST_LOGGED_BYTES) return `${answer.length} bytes`;
  const message = responseType.decode(answer);
  return responseType.toJSON?.(message) ?? message;
}
