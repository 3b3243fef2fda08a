import { describe, expect, it } from 'vitest';
import { ManualClock } from '../clock.ts';
import { StepLoop } from './step-loop.ts';

describe('StepLoop', () => {
  function bench() {
    const clock = new ManualClock();
    const ends: (() => void)[] = [];
    let steps = 0;
    const loop = new StepLoop(clock, () => {
      steps++;
      return new Promise((resolve) => void ends.push(resolve));
    });
    const settle = () => new Promise((resolve) => setImmediate(resolve));
    const end = async (): Promise<void> => {
      ends.shift()?.();
      await settle();
    };
    return { clock, loop, settle, end, steps: () => steps };
  }

  it('takes one step at a time, and one more for all that woke it meanwhile', async () => {
    const { loop, settle, end, steps } = bench();
    loop.wake();
    expect(steps()).toBe(0);
    await settle();
    loop.wake();
    loop.wake();
    expect(steps()).toBe(1);
    await end();
    expect(steps()).toBe(2);
    await end();
    await loop.idle;
    expect(steps()).toBe(2);
  });

  it('takes no step more for what the one under way knows', async () => {
    const { loop, settle, end, steps } = bench();
    loop.wake();
    await settle();
    loop.wake();
    loop.caughtUp();
    await end();
    await loop.idle;
    expect(steps()).toBe(1);
  });

  it('wakes after a time, once, unless somebody does before', async () => {
    const { clock, loop, settle, end, steps } = bench();
    loop.wakeAfter(1_000);
    clock.advance(999);
    await settle();
    expect(steps()).toBe(0);
    loop.wake();
    await settle();
    await end();
    clock.advance(1_000);
    await settle();
    expect(steps()).toBe(1);
    loop.wakeAfter(1_000);
    clock.advance(1_000);
    await settle();
    expect(steps()).toBe(2);
  });

  it('begins nothing once it is closed', async () => {
    const { clock, loop, settle, end, steps } = bench();
    loop.wake();
    await settle();
    loop.wake();
    loop.wakeAfter(10);
    loop.close();
    await end();
    clock.advance(10);
    loop.wake();
    await settle();
    expect([steps(), loop.isClosed]).toEqual([1, true]);
  });
});
