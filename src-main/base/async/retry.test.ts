import { describe, expect, it } from 'vitest';
import { ManualClock } from '../clock.ts';
import { retry, type RetryOptions } from './retry.ts';

const backoff = { firstMs: 100, maxMs: 300, factor: 2, jitter: 0.5 };

/** Lets what waits for promises run, and whatever waits for that. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('retry', () => {
  function begin(failures: number, options: Partial<RetryOptions> = {}) {
    const clock = new ManualClock(0);
    const triedAt: number[] = [];
    const controller = new AbortController();
    const work = async (): Promise<string> => {
      triedAt.push(clock.monotonic());
      if (triedAt.length <= failures) throw new Error(`failure ${triedAt.length}`);
      return 'done';
    };
    const result = retry(work, { clock, backoff, signal: controller.signal, ...options });
    return { clock, triedAt, controller, result };
  }

  it('tries at once and then after growing delays, until it succeeds', async () => {
    const { clock, triedAt, result } = begin(4);
    for (let ms = 0; ms <= 1_000; ms += 50) {
      await settled();
      clock.advance(50);
    }
    expect(await result).toBe('done');
    expect(triedAt).toEqual([0, 100, 300, 600, 900]);
    expect(clock.pending).toBe(0);
  });

  it('draws a part of each delay', async () => {
    const { clock, triedAt, result } = begin(1, { random: () => 0.5 });
    await settled();
    clock.advance(74);
    await settled();
    expect(triedAt).toHaveLength(1);
    clock.advance(1);
    await result;
    expect(triedAt).toEqual([0, 75]);
  });

  it('tells of each failure, and gives up with what is thrown then', async () => {
    const failures: string[] = [];
    const { clock, result } = begin(5, {
      onFailure: (thrown) => {
        failures.push((thrown as Error).message);
        if (failures.length === 2) throw new Error('enough', { cause: thrown });
      },
    });
    await settled();
    clock.advance(100);
    await expect(result).rejects.toThrow('enough');
    expect(failures).toEqual(['failure 1', 'failure 2']);
  });

  it('ends while it waits when the signal aborts, with its reason', async () => {
    const { clock, controller, triedAt, result } = begin(5);
    await settled();
    controller.abort(new Error('not wanted'));
    await expect(result).rejects.toThrow('not wanted');
    expect([triedAt.length, clock.pending]).toEqual([1, 0]);
  });

  it('begins nothing once the signal has aborted', async () => {
    const { triedAt, result } = begin(0, { signal: AbortSignal.abort(new Error('too late')) });
    await expect(result).rejects.toThrow('too late');
    expect(triedAt).toEqual([]);
  });
});
