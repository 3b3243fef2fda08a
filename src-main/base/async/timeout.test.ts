import { describe, expect, it } from 'vitest';
import { ManualClock } from '../clock.ts';
import { withTimeout } from './timeout.ts';

const late = (): never => {
  throw new Error('late');
};
const never = new Promise<never>(() => undefined);

describe('withTimeout', () => {
  it('begins at once, gives the result, and leaves no timer', async () => {
    const clock = new ManualClock();
    let hasBegun = false;
    const result = withTimeout(async () => (hasBegun = true), { clock, ms: 10, onTimeout: late });
    expect(hasBegun).toBe(true);
    expect(await result).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it('rejects with what the work throws, at once or later, and leaves no timer', async () => {
    const clock = new ManualClock();
    const fail = (): never => {
      throw new Error('broken');
    };
    await expect(withTimeout(fail, { clock, ms: 10, onTimeout: late })).rejects.toThrow('broken');
    await expect(withTimeout(async () => fail(), { clock, ms: 10, onTimeout: late })).rejects.toThrow('broken');
    expect(clock.pending).toBe(0);
  });

  it('gives what onTimeout returns or throws when the time is over, and not before', async () => {
    const clock = new ManualClock();
    let calls = 0;
    const value = withTimeout(() => never, { clock, ms: 10, onTimeout: () => ++calls });
    const thrown = withTimeout(() => never, { clock, ms: 10, onTimeout: late });
    clock.advance(9);
    expect(calls).toBe(0);
    clock.advance(1);
    // The caller may act at that very moment, before anybody else runs.
    expect(calls).toBe(1);
    expect(await value).toBe(1);
    await expect(thrown).rejects.toThrow('late');
  });

  it('drops what comes after the time', async () => {
    const clock = new ManualClock();
    let fail: (reason: Error) => void = () => undefined;
    const work = () => new Promise<string>((_resolve, reject) => (fail = reject));
    const result = withTimeout(work, { clock, ms: 10, onTimeout: () => 'late' });
    clock.advance(10);
    fail(new Error('much too late'));
    expect(await result).toBe('late');
  });

  it('ends with the reason of the signal, and leaves no timer', async () => {
    const clock = new ManualClock();
    const controller = new AbortController();
    const { signal } = controller;
    const result = withTimeout(() => never, { clock, ms: 10, onTimeout: late, signal });
    controller.abort(new Error('not wanted'));
    await expect(result).rejects.toThrow('not wanted');
    expect(clock.pending).toBe(0);
    await expect(withTimeout(() => never, { clock, ms: 10, onTimeout: late, signal })).rejects.toThrow('not wanted');
    expect(clock.pending).toBe(0);
  });
});
