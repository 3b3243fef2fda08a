import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { startJobTimer, type JobTimer } from './job-timer.ts';
import type { Schedule } from './schedule.ts';

const START = new Date(2026, 0, 5, 8, 0).getTime();
const HOUR_MS = 3_600_000;

/** Runs with the durations that a test sets; zero by default. */
class Runs {
  readonly clock = new ManualClock(START);
  /** Start times of the runs, seconds after the start. */
  readonly begun: number[] = [];
  readonly timer: JobTimer;
  isSuccess = true;
  #release: ((isSuccess: boolean) => void) | undefined;

  constructor(schedule: Schedule, isHeld = false) {
    const run = (): Promise<boolean> => {
      this.begun.push((this.clock.monotonic() - START) / 1_000);
      return isHeld ? new Promise((resolve) => (this.#release = resolve)) : Promise.resolve(this.isSuccess);
    };
    this.timer = startJobTimer(schedule, { clock: this.clock, random: () => 0, run });
  }

  async pass(seconds: number, step = 0.5): Promise<void> {
    for (let passed = 0; passed < seconds; passed += step) {
      this.clock.advance(step * 1_000);
      await settled();
    }
  }

  async end(): Promise<void> {
    this.#release?.(this.isSuccess);
    await settled();
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('runs at an interval', () => {
  const every5s: Schedule = { kind: 'interval', ms: 5_000 };

  it('begin whole intervals after the start, and end with it', async () => {
    const runs = new Runs(every5s);
    await runs.pass(16);
    expect(runs.begun).toEqual([5, 10, 15]);
    runs.timer.stop();
    await runs.pass(60);
    expect(runs.begun).toEqual([5, 10, 15]);
    expect(runs.clock.pending).toBe(0);
  });

  it('begin once as soon as the one before has ended where they were due meanwhile, and keep to the interval', async () => {
    const runs = new Runs(every5s, true);
    await runs.pass(23);
    expect(runs.begun).toEqual([5]);
    await runs.end();
    expect(runs.begun).toEqual([5, 23]);
    await runs.pass(1);
    await runs.end();
    await runs.pass(1);
    expect(runs.begun).toEqual([5, 23, 25]);
  });

  it('are one after a long sleep of the computer, and none is owed', async () => {
    const runs = new Runs(every5s);
    await runs.pass(HOUR_MS / 1_000, HOUR_MS / 1_000);
    const slept = runs.begun.length;
    await runs.pass(6);
    expect(runs.begun.length - slept).toBe(1);
  });

  it('do not mind a wall clock that is set', async () => {
    const runs = new Runs(every5s);
    await runs.pass(1);
    runs.clock.set(runs.clock.now() + 1_000 * HOUR_MS);
    await runs.pass(10);
    runs.clock.set(runs.clock.now() - 5_000 * HOUR_MS);
    await runs.pass(5);
    expect(runs.begun).toEqual([5, 10, 15]);
  });

  it('that is shorter than any timer are at most one a millisecond', async () => {
    const runs = new Runs({ kind: 'interval', ms: 1e-6 });
    await runs.pass(0.01, 0.001);
    expect(runs.begun.length).toBe(10);
  });
});

describe('runs of a cron pattern', () => {
  const everyMinute: Schedule = { kind: 'cron', pattern: '* * * * *' };

  it('begin at its moments, and are left out while one is under way', async () => {
    const runs = new Runs(everyMinute, true);
    await runs.pass(61);
    expect(runs.begun).toEqual([60]);
    await runs.pass(120);
    await runs.end();
    await runs.pass(30);
    expect(runs.begun).toEqual([60]);
    await runs.pass(30);
    expect(runs.begun).toEqual([60, 240]);
  });

  it('are one where the clock was set ahead, and go on from there', async () => {
    const runs = new Runs(everyMinute);
    await runs.pass(61);
    runs.clock.set(runs.clock.now() + 1_000 * HOUR_MS);
    await runs.pass(29);
    expect(runs.begun).toEqual([60, 90]);
    await runs.pass(60);
    expect(runs.begun).toEqual([60, 90, 120]);
  });

  it('go on where it was set back, by little without a second run, by much at the new time', async () => {
    const runs = new Runs(everyMinute);
    await runs.pass(61);
    runs.clock.set(runs.clock.now() - 5_000);
    await runs.pass(60);
    expect(runs.begun).toEqual([60]);
    await runs.pass(4);
    expect(runs.begun).toEqual([60, 125]);
    runs.clock.set(runs.clock.now() - 1_000 * HOUR_MS);
    await runs.pass(60);
    expect(runs.begun).toEqual([60, 125, 185]);
  });

  it('that are far away wake the computer seldom', () => {
    const runs = new Runs({ kind: 'cron', pattern: '0 8 * * *' });
    runs.clock.advance(24 * HOUR_MS);
    expect(runs.begun).toEqual([24 * 3_600]);
    runs.timer.stop();
    expect(runs.clock.pending).toBe(0);
  });
});

describe('runs without a pause', () => {
  it('follow each other, and leave time for everything else', async () => {
    const runs = new Runs({ kind: 'continuous' });
    await runs.pass(1, 0.001);
    expect(runs.begun.length).toBeGreaterThan(90);
    expect(runs.begun.length).toBeLessThanOrEqual(101);
  });

  it('pause after a failure, longer with each, and no more after a success', async () => {
    const runs = new Runs({ kind: 'continuous' });
    runs.isSuccess = false;
    await runs.pass(4, 0.001);
    expect(runs.begun.map((at) => Math.round(at * 10) / 10)).toEqual([0, 0.5, 1.5, 3.5]);
    await runs.pass(3_600);
    const before = runs.begun.length;
    await runs.pass(60);
    expect(runs.begun.length - before).toBe(2);
    runs.isSuccess = true;
    await runs.pass(30.5);
    const good = runs.begun.length;
    await runs.pass(1, 0.001);
    expect(runs.begun.length - good).toBeGreaterThan(90);
  });

  it('end with it, also while one is under way', async () => {
    const runs = new Runs({ kind: 'continuous' }, true);
    await runs.pass(1);
    runs.timer.stop();
    await runs.end();
    await runs.pass(1);
    expect(runs.begun.length).toBe(1);
    expect(runs.clock.pending).toBe(0);
  });
});
