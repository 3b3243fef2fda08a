import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { SharedPollers, type PollResult } from './shared-pollers.ts';

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function advance(clock: ManualClock, ms: number): Promise<void> {
  for (let step = 0; step < ms; step++) {
    clock.advance(1);
    await settle();
  }
}

describe('SharedPollers', () => {
  it('makes one call for all viewers, at the pace of the most eager', async () => {
    const clock = new ManualClock(0);
    const pollers = new SharedPollers(clock);
    let calls = 0;
    const poll = async (): Promise<Uint8Array> => Uint8Array.of(++calls);
    const seen: number[] = [];
    const slow = pollers.watch('k', poll, { intervalMs: 100, onResult: () => undefined });
    const quick = pollers.watch('k', poll, {
      intervalMs: 10,
      onResult: (result) => result.kind === 'value' && seen.push(result.bytes[0] ?? 0),
    });
    await advance(clock, 35);
    expect(seen).toEqual([1, 2, 3, 4]);
    quick();
    await advance(clock, 60);
    expect(calls).toBe(4);
    slow();
    expect(pollers.size).toBe(0);
    await advance(clock, 500);
    expect(calls).toBe(4);
  });

  it('gives a late viewer the last known value at once, and counts viewers', async () => {
    const clock = new ManualClock(0);
    const pollers = new SharedPollers(clock);
    const poll = async (): Promise<Uint8Array> => Uint8Array.of(7);
    pollers.watch('k', poll, { intervalMs: 1_000, onResult: () => undefined });
    await advance(clock, 2);
    const late: [PollResult['kind'], number][] = [];
    pollers.watch('k', poll, { intervalMs: 1_000, onResult: (result, viewers) => late.push([result.kind, viewers]) });
    expect(late).toEqual([['value', 2]]);
  });

  it('never has two calls of one key under way', async () => {
    const clock = new ManualClock(0);
    const pollers = new SharedPollers(clock);
    let running = 0;
    let most = 0;
    let finish = (): void => undefined;
    const poll = async (): Promise<Uint8Array> => {
      most = Math.max(most, ++running);
      await new Promise<void>((resolve) => (finish = resolve));
      running--;
      return new Uint8Array();
    };
    pollers.watch('k', poll, { intervalMs: 5, onResult: () => undefined });
    await advance(clock, 50);
    expect(running).toBe(1);
    finish();
    await advance(clock, 6);
    expect(most).toBe(1);
    expect(running).toBe(1);
  });

  it('never has two calls of one key under way, also for viewers that go and come again', async () => {
    const clock = new ManualClock(0);
    const pollers = new SharedPollers(clock);
    let calls = 0;
    let finish = (): void => undefined;
    const poll = async (): Promise<Uint8Array> => {
      calls++;
      await new Promise<void>((resolve) => (finish = resolve));
      return Uint8Array.of(7);
    };
    const kinds: string[] = [];
    const viewer = { intervalMs: 5, onResult: (result: PollResult) => void kinds.push(result.kind) };
    for (let index = 0; index < 10; index++) {
      const leave = pollers.watch('k', poll, viewer);
      await advance(clock, 2);
      leave();
    }
    expect(calls).toBe(1);
    const leave = pollers.watch('k', poll, viewer);
    finish();
    await advance(clock, 1);
    expect(kinds).toEqual(['value']);
    await advance(clock, 6);
    leave();
    expect([calls, pollers.size]).toEqual([2, 1]);
    finish();
    await advance(clock, 1);
    expect(pollers.size).toBe(0);
  });

  it('reports a failure and tries on', async () => {
    const clock = new ManualClock(0);
    const pollers = new SharedPollers(clock);
    let calls = 0;
    const kinds: string[] = [];
    pollers.watch(
      'k',
      async () => {
        if (++calls === 1) throw new Error('cable out');
        return new Uint8Array();
      },
      { intervalMs: 10, onResult: (result) => kinds.push(result.kind) },
    );
    await advance(clock, 12);
    expect(kinds).toEqual(['error', 'value']);
  });
});
