import { backoffDelayMs, type BackoffOptions } from '../../base/async/backoff.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { cronTimes, type CronTimes, type Schedule } from './schedule.ts';

/** The shortest timer, so that runs that end at once leave time for everything else. */
const MIN_TIMER_MS = 1;
/** The shortest time between the starts of continuous runs. */
const MIN_PERIOD_MS = 10;
/** How often the wall clock is read again, since somebody may set it meanwhile. */
const CLOCK_CHECK_MS = 30_000;
/** If the wall clock is set back by less than this, it was only corrected: past runs are not due again. */
const CLOCK_SET_BACK_MS = 60_000;
/** For continuous runs that fail. */
const failureBackoff: BackoffOptions = { firstMs: 500, maxMs: 30_000, factor: 2, jitter: 0.2 };

export interface JobTimerOptions {
  readonly clock: Clock;
  /** A number in [0, 1). */
  readonly random: () => number;
  /** Makes one run; resolves with its success. Never rejects. */
  readonly run: () => Promise<boolean>;
}

/** Starts the runs of a job when they are due, one at a time. */
export interface JobTimer {
  /** Starts no more runs; a current one continues. */
  stop(): void;
}

/** Starts the timer of a schedule. */
export function startJobTimer(schedule: Schedule, options: JobTimerOptions): JobTimer {
  switch (schedule.kind) {
    case 'interval':
      return new IntervalTimer(schedule.ms, options);
    case 'cron':
      return new CronTimer(cronTimes(schedule.pattern), options);
    case 'continuous':
      return new ContinuousTimer(options);
  }
}

/**
 * Whole intervals after the start, by the monotonic clock. Intervals that fall due during a run are made up for by a
 * single run when it ends.
 */
class IntervalTimer implements JobTimer {
  readonly #options: JobTimerOptions;
  readonly #ms: number;
  #dueAt: number;
  #timer: Timer | undefined;
  #isRunning = false;
  #isDueAgain = false;
  #isStopped = false;

  constructor(ms: number, options: JobTimerOptions) {
    this.#ms = ms;
    this.#options = options;
    this.#dueAt = options.clock.monotonic() + ms;
    this.#wait();
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  #wait(): void {
    const { clock } = this.#options;
    this.#timer = clock.after(Math.max(MIN_TIMER_MS, this.#dueAt - clock.monotonic()), () => this.#check());
  }

  #check(): void {
    const behindMs = this.#options.clock.monotonic() - this.#dueAt;
    if (behindMs >= 0) {
      this.#dueAt += this.#ms * (Math.floor(behindMs / this.#ms) + 1);
      if (this.#isRunning) this.#isDueAgain = true;
      else void this.#run();
    }
    this.#wait();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    do {
      this.#isDueAgain = false;
      await this.#options.run();
    } while (this.#isDueAgain && !this.#isStopped);
    this.#isRunning = false;
  }
}

/**
 * Moments of the wall clock. Moments during a run are skipped; moments while the computer slept or its clock was set
 * ahead cause a single run. If the clock was set back, the moments are computed again.
 */
class CronTimer implements JobTimer {
  readonly #options: JobTimerOptions;
  readonly #times: CronTimes;
  #next: number | undefined;
  #checkedAt: number;
  #timer: Timer | undefined;
  #isRunning = false;

  constructor(times: CronTimes, options: JobTimerOptions) {
    this.#times = times;
    this.#options = options;
    this.#checkedAt = options.clock.now();
    this.#next = times.next(this.#checkedAt);
    this.#wait();
  }

  stop(): void {
    this.#timer?.cancel();
  }

  #wait(): void {
    const { clock } = this.#options;
    if (this.#next === undefined) return;
    const ms = Math.min(CLOCK_CHECK_MS, Math.max(MIN_TIMER_MS, this.#next - clock.now()));
    this.#timer = clock.after(ms, () => this.#check());
  }

  #check(): void {
    const now = this.#options.clock.now();
    if (now < this.#checkedAt - CLOCK_SET_BACK_MS) this.#next = this.#times.next(now);
    this.#checkedAt = now;
    if (this.#next !== undefined && now >= this.#next) {
      this.#next = this.#times.next(now);
      if (!this.#isRunning) void this.#run();
    }
    this.#wait();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    await this.#options.run();
    this.#isRunning = false;
  }
}

/** One run after the other. After a failure there is a pause, which grows with each failure in a row. */
class ContinuousTimer implements JobTimer {
  readonly #options: JobTimerOptions;
  #timer: Timer;
  #failures = 0;
  #isStopped = false;

  constructor(options: JobTimerOptions) {
    this.#options = options;
    this.#timer = this.#after(MIN_TIMER_MS);
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer.cancel();
  }

  #after(ms: number): Timer {
    return this.#options.clock.after(ms, () => void this.#run());
  }

  async #run(): Promise<void> {
    const { clock, random, run } = this.#options;
    const startedAt = clock.monotonic();
    const isSuccess = await run();
    if (this.#isStopped) return;
    const tookMs = clock.monotonic() - startedAt;
    this.#failures = isSuccess ? 0 : this.#failures + 1;
    const pauseMs = isSuccess
      ? Math.max(MIN_TIMER_MS, MIN_PERIOD_MS - tookMs)
      : backoffDelayMs(failureBackoff, this.#failures, random());
    this.#timer = this.#after(pauseMs);
  }
}
