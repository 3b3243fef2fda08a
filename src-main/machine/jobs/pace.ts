import { backoffDelayMs, type BackoffOptions } from '../../base/async/backoff.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { cronTimes, type CronTimes, type Schedule } from './schedule.ts';

/** Timers are not set for less, so that runs that end at once leave time for everything else. */
const LEAST_TIMER_MS = 1;
/** Runs without a pause begin so far apart at least. */
const LEAST_BETWEEN_MS = 10;
/** How often the wall clock is looked at, which somebody may set meanwhile. */
const LOOK_MS = 30_000;
/** A wall clock that is set back by less is only put right: what was due is not due again. */
const SET_BACK_MS = 60_000;
/** Of runs without a pause that fail. */
const failing: BackoffOptions = { firstMs: 500, maxMs: 30_000, factor: 2, jitter: 0.2 };

export interface PaceOptions {
  readonly clock: Clock;
  /** A number in [0, 1). */
  readonly random: () => number;
  /** Makes one run; resolves whether it succeeded. Never rejects. */
  readonly run: () => Promise<boolean>;
}

/** Begins runs when they are due, one at a time. */
export interface Pace {
  /** Begins no more runs; one that is under way goes on. */
  stop(): void;
}

/** Begins at once to wait for what is due by a schedule. */
export function paceOf(schedule: Schedule, options: PaceOptions): Pace {
  switch (schedule.kind) {
    case 'interval':
      return new IntervalPace(schedule.ms, options);
    case 'cron':
      return new CronPace(cronTimes(schedule.pattern), options);
    case 'continuous':
      return new ContinuousPace(options);
  }
}

/**
 * Whole intervals after the start, by the monotonic clock. What falls due during a run begins when that ends, once,
 * however often it fell due.
 */
class IntervalPace implements Pace {
  readonly #options: PaceOptions;
  readonly #ms: number;
  #dueAt: number;
  #timer: Timer | undefined;
  #isRunning = false;
  #isDueAgain = false;
  #isStopped = false;

  constructor(ms: number, options: PaceOptions) {
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
    this.#timer = clock.after(Math.max(LEAST_TIMER_MS, this.#dueAt - clock.monotonic()), () => this.#look());
  }

  #look(): void {
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
 * Moments of the wall clock. What falls due during a run is skipped; of several that passed while the computer slept or
 * its clock was set ahead there is one run. Where it was set back, the moments are looked up anew.
 */
class CronPace implements Pace {
  readonly #options: PaceOptions;
  readonly #times: CronTimes;
  #next: number | undefined;
  #lookedAt: number;
  #timer: Timer | undefined;
  #isRunning = false;

  constructor(times: CronTimes, options: PaceOptions) {
    this.#times = times;
    this.#options = options;
    this.#lookedAt = options.clock.now();
    this.#next = times.next(this.#lookedAt);
    this.#wait();
  }

  stop(): void {
    this.#timer?.cancel();
  }

  #wait(): void {
    const { clock } = this.#options;
    if (this.#next === undefined) return;
    const ms = Math.min(LOOK_MS, Math.max(LEAST_TIMER_MS, this.#next - clock.now()));
    this.#timer = clock.after(ms, () => this.#look());
  }

  #look(): void {
    const now = this.#options.clock.now();
    if (now < this.#lookedAt - SET_BACK_MS) this.#next = this.#times.next(now);
    this.#lookedAt = now;
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

/** One run after the other. After a failure there is a pause, longer with each in a row. */
class ContinuousPace implements Pace {
  readonly #options: PaceOptions;
  #timer: Timer;
  #failures = 0;
  #isStopped = false;

  constructor(options: PaceOptions) {
    this.#options = options;
    this.#timer = this.#after(LEAST_TIMER_MS);
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
      ? Math.max(LEAST_TIMER_MS, LEAST_BETWEEN_MS - tookMs)
      : backoffDelayMs(failing, this.#failures, random());
    this.#timer = this.#after(pauseMs);
  }
}
