import { describe, expect, it } from 'vitest';
import { isSuperseded, SingleOperation } from './single-operation.ts';

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

describe('single operation', () => {
  it('a newer operation cancels the running one and waits for it', async () => {
    const guard = new SingleOperation('motor "m"', () => Promise.resolve());
    const order: string[] = [];
    const leaving = Promise.withResolvers<void>();
    const first = guard.run('first', undefined, async (signal) => {
      order.push('first begins');
      await untilAborted(signal);
      expect(isSuperseded(signal)).toBe(true);
      await leaving.promise;
      order.push('first ends');
    });
    const second = guard.run('second', undefined, async () => void order.push('second'));
    await Promise.resolve();
    leaving.resolve();
    await Promise.all([first, second]);
    expect(order).toEqual(['first begins', 'first ends', 'second']);
  });

  it('of those that wait only the newest runs', async () => {
    const guard = new SingleOperation('motor "m"', () => Promise.resolve());
    const ran: string[] = [];
    const first = guard.run('first', undefined, (signal) => untilAborted(signal));
    const second = guard.run('second', undefined, async () => void ran.push('second'));
    const third = guard.run('third', undefined, async () => void ran.push('third'));
    await Promise.all([first, second, third]);
    expect(ran).toEqual(['third']);
  });

  it('a caller that left before it began cancels nothing', async () => {
    const guard = new SingleOperation('motor "m"', () => Promise.resolve());
    let isAborted = false;
    const running = Promise.withResolvers<void>();
    const first = guard.run('first', undefined, (signal) => {
      signal.addEventListener('abort', () => (isAborted = true));
      return running.promise;
    });
    await expect(guard.run('second', AbortSignal.abort(), () => Promise.resolve())).rejects.toMatchObject({
      code: 'call.cancelled',
    });
    expect(isAborted).toBe(false);
    running.resolve();
    await first;
  });

  it('a caller that leaves while waiting has the device stopped', async () => {
    let stops = 0;
    const guard = new SingleOperation('motor "m"', async () => void stops++);
    const first = guard.run('first', undefined, (signal) => untilAborted(signal));
    const caller = new AbortController();
    const second = guard.run('second', caller.signal, () => Promise.resolve());
    caller.abort();
    await expect(second).rejects.toMatchObject({ code: 'call.cancelled' });
    await first;
    expect(stops).toBe(1);
  });

  it('a stop that waits and is replaced by a newer stop is done when that one is', async () => {
    const guard = new SingleOperation('motor "m"', () => Promise.resolve());
    const leaving = Promise.withResolvers<void>();
    const moving = guard.run('GoFor', undefined, () => leaving.promise);
    let stops = 0;
    const stop = (): Promise<void> => guard.stop(async () => void stops++);
    const both = Promise.all([stop(), stop()]);
    leaving.resolve();
    await Promise.all([moving, both]);
    expect(stops).toBe(1);
  });

  it('a stop that waits fails with the newer one that it left the work to', async () => {
    const guard = new SingleOperation('motor "m"', () => Promise.resolve());
    const moving = guard.run('GoFor', undefined, (signal) => untilAborted(signal));
    const stop = (): Promise<void> => guard.stop(() => Promise.reject(new Error('the pin is gone')));
    const outcomes = await Promise.allSettled([stop(), stop()]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await moving;
  });

  it('a stop after one that has begun tries again by itself', async () => {
    const guard = new SingleOperation('motor "m"', () => Promise.resolve());
    const hanging = Promise.withResolvers<void>();
    const first = guard.stop(() => hanging.promise);
    let tries = 0;
    const second = guard.stop(async () => void tries++);
    hanging.reject(new Error('no answer'));
    await expect(first).rejects.toThrow('no answer');
    await second;
    expect(tries).toBe(1);
  });

  it('a stop that waits is no stop for a command that came after it', async () => {
    const guard = new SingleOperation('motor "m"', () => Promise.resolve());
    const first = guard.run('GoFor', undefined, (signal) => untilAborted(signal));
    const stopped = guard.stop(() => Promise.resolve());
    const next = guard.run('SetPower', undefined, () => Promise.resolve());
    await Promise.all([first, stopped, next]);
    let stops = 0;
    await guard.stop(async () => void stops++);
    expect(stops).toBe(1);
  });

  it('a failing operation does not block the next', async () => {
    const guard = new SingleOperation('motor "m"', () => Promise.resolve());
    await expect(guard.run('first', undefined, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    let ran = false;
    await guard.run('second', undefined, async () => void (ran = true));
    expect(ran).toBe(true);
  });
});
