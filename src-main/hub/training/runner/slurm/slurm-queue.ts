import { toArmatureError } from '../../../../base/errors.ts';
import type { Clock, Timer } from '../../../../base/clock.ts';
import { jobsIn, QUEUE_FORMAT, type SlurmJob } from './job-state.ts';
import { askSlurm } from './slurm-programs.ts';

/** What Slurm last said of all jobs of this user, also of those that ended not long ago. */
export interface QueueNews {
  readonly jobs: readonly SlurmJob[];
  /** When it was asked, monotonic: what happened later is not in it. */
  readonly askedAt: number;
  /** In Slurm's words, why it could not be asked since; '' where it could. */
  readonly trouble: string;
  /** Since when there is no news; milliseconds since the Unix epoch. */
  readonly noNewsSince: number | undefined;
}

/** Asks Slurm for the jobs of this user: once for all runs, and only while there are any. */
export class SlurmQueue {
  readonly #clock: Clock;
  readonly #everyMs: number;
  #watchers = 0;
  #timer: Timer | undefined;
  #news: QueueNews;

  /** @param everyMs between an answer and the next question */
  constructor(clock: Clock, everyMs: number) {
    this.#clock = clock;
    this.#everyMs = everyMs;
    this.#news = { jobs: [], askedAt: -Infinity, trouble: '', noNewsSince: undefined };
  }

  get news(): QueueNews {
    return this.#news;
  }

  /** Asks again and again, until what it returns is called. */
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
    // One that was stopped in the middle and begun anew has a timer already.
    this.#timer?.cancel();
    if (this.#watchers === 0) return;
    this.#timer = this.#clock.after(this.#everyMs, () => void this.#askOn());
  }

  /** The jobs, or why they are not known. */
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
