import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ManualClock, sleep, Sleeper, systemClock } from './clock.ts';

describe('ManualClock', () => {
  it('fires timers in order of time, then of creation', () => {
    const clock = new ManualClock(0);
    const fired: string[] = [];
    clock.after(20, () => fired.push('late'));
    clock.after(10, () => fired.push('first'));
    clock.after(10, () => fired.push('second'));
    clock.advance(20);
    expect(fired).toEqual(['first', 'second', 'late']);
  });

  it('repeats until cancelled, seeing the time at which it fell due', () => {
    const clock = new ManualClock(0);
    const times: number[] = [];
    const timer = clock.every(5, () => times.push(clock.now()));
    clock.advance(12);
    timer.cancel();
    clock.advance(100);
    expect(times).toEqual([5, 10]);
    expect(clock.pending).toBe(0);
  });

  it('does not go on for ever where a timer sets itself for the same moment', () => {
    const clock = new ManualClock(0);
    const again = (): void => void clock.after(0, again);
    again();
    expect(() => clock.advance(1)).toThrow('without end');
  });

  it('fires a timer that another timer set, when it falls due in the same step', () => {
    const clock = new ManualClock(0);
    let at = -1;
    clock.after(1, () => clock.after(1, () => (at = clock.now())));
    clock.advance(5);
    expect(at).toBe(2);
  });
});

describe('sleep', () => {
  it('ends when its time is over', async () => {
    const clock = new ManualClock(0);
    let isOver = false;
    const sleeping = sleep(clock, 10).then(() => (isOver = true));
    clock.advance(9);
    await Promise.resolve();
    expect(isOver).toBe(false);
    clock.advance(1);
    await sleeping;
  });

  it('ends at once when the signal aborts, or has aborted, and leaves no timer', async () => {
    const clock = new ManualClock(0);
    const controller = new AbortController();
    const sleeping = sleep(clock, 10, controller.signal);
    controller.abort();
    await sleeping;
    await sleep(clock, 10, controller.signal);
    expect(clock.pending).toBe(0);
  });
});

describe('Sleeper', () => {
  it('sleeps again and again, and ends at once when its signal aborts, or has aborted', async () => {
    const clock = new ManualClock(0);
    const controller = new AbortController();
    const sleeper = new Sleeper(clock, controller.signal);
    for (let time = 0; time < 3; time++) {
      let isOver = false;
      const sleeping = sleeper.sleep(10).then(() => (isOver = true));
      clock.advance(9);
      await Promise.resolve();
      expect(isOver).toBe(false);
      clock.advance(1);
      await sleeping;
    }
    const sleeping = sleeper.sleep(10);
    controller.abort();
    await sleeping;
    await sleeper.sleep(10);
    expect(clock.pending).toBe(0);
  });

  it('listens to its signal once, and not after it is closed', async () => {
    const clock = new ManualClock(0);
    const { signal } = new AbortController();
    const sleeper = new Sleeper(clock, signal);
    for (let time = 0; time < 3; time++) {
      const sleeping = sleeper.sleep(1);
      expect(getEventListeners(signal, 'abort')).toHaveLength(1);
      clock.advance(1);
      await sleeping;
    }
    sleeper.close();
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});

describe('systemClock', () => {
  const dayMs = 24 * 60 * 60 * 1_000;
  afterEach(() => vi.useRealTimers());

  it('keeps a time longer than the 24.8 days a timer of Node can have, which would fire it at once', () => {
    vi.useFakeTimers();
    const fired: string[] = [];
    systemClock.after(60 * dayMs, () => fired.push('kept'));
    const cancelled = systemClock.after(60 * dayMs, () => fired.push('cancelled'));
    vi.advanceTimersByTime(59 * dayMs);
    cancelled.cancel();
    expect(fired).toEqual([]);
    vi.advanceTimersByTime(1 * dayMs);
    expect(fired).toEqual(['kept']);
  });
});
