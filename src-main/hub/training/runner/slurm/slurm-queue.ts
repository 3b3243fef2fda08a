import { toArmatureError } from '../../../../base/errors.ts';
import type { Clock, Timer } from '../../../../base/clock.ts';
import { jobsIn, QUEUE_FORMAT, type SlurmJob } from './job-state.ts';
import { askSlurm } from './slurm-programs.ts';

/** What Slurm last reported about all jobs of this user, including those that ended recently. */
export interface QueueNews {
  readonly jobs: readonly SlurmJob[];
  /** Monotonic time of the query: later events are not included. */
  readonly askedAt: number;
  /** Slurm's message if later queries failed; '' if the last one succeeded. */
  readonly trouble: string;
  /** When queries began to fail; milliseconds since the Unix epoch. */
  readonly noNewsSince: number | undefined;
}

/** Asks Slurm for the jobs of this user: one query for all runs, and only while there are runs. */
export class SlurmQueue {
  readonly #clock: Clock;
  readonly #everyMs: number;
  #watchers = 0;
  #timer: Timer | undefined;
  #news: QueueNews;

  /** @param everyMs from an answer to the next query */
  constructor(clock: Clock, everyMs: number) {
    this.#clock = clock;
    this.#everyMs = everyMs;
    this.#news = { jobs: [], askedAt: -Infinity, trouble: '', noNewsSince: undefined };
  }

  get news(): QueueNews {
    return this.#news;
  }

  /** Asks regularly until the returned function is called. */
  watch(): () => void {
    if (this.#watchers++ === 0) void this.#askOn();
    return () => {
      if (--this.#watchers > 0) return;
      this.#timer?.cancel();
    };
  }

  /** Asks now. Never rejects. */
  async ask(): Promise<QueueNews> {
    const askedAt = this.#clock.monotonic();
    const trouble = await this.#jobs();
    if (typeof trouble === 'string') {
      this.#news = { ...this.#news, trouble, noNewsSince: this.#news.noNewsSince ?? this.#clock.now() };
    } else if (askedAt >= this.#news.askedAt) {
      this.#news = { jobs: trouble, askedAt, trouble: '', noNewsSince: undefined };
    }
    return this.#news;
  }

  async #askOn(): Promise<void> {
    await this.ask();
    // If it was stopped and started again during the query, there is already a timer.
    this.#timer?.cancel();
    if (this.#watchers === 0) return;
    this.#timer = this.#clock.after(this.#everyMs, () => void this.#askOn());
  }

  /** The jobs, or an error message. */
  async #jobs(): Promise<readonly SlurmJob[] | string> {
    const user = process.getuid?.() ?? '';
    const args = ['--noheader', `--user=${user}`, '--states=all', `--format=${QUEUE_FORMAT}`];
    try {
      const { isDone, output, words } = await askSlurm('squeue', args);
      return isDone ? jobsIn(output) : words;
    } catch (thrown) {
      return toArmatureError(thrown).message;
    }
  }
}
