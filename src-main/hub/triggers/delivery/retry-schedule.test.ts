import { describe, expect, it } from 'vitest';
import { MAX_RETRY_AFTER_MS, RETRY_DELAYS_MS, parseRetryAfter, retryDelayMs } from './retry-schedule.ts';

describe('the schedule of retries', () => {
  it('waits longer each time, and ends', () => {
    const delays = Array.from({ length: 9 }, (_, index) => retryDelayMs(index + 1, 0));
    expect(delays).toEqual([...RETRY_DELAYS_MS, undefined]);
    expect(RETRY_DELAYS_MS).toEqual(RETRY_DELAYS_MS.toSorted((a, b) => a - b));
  });

  it('adds up to a fifth at random', () => {
    expect(retryDelayMs(1, 0.999_999)).toBeLessThanOrEqual(6_000);
    expect(retryDelayMs(1, 0.5)).toBe(5_500);
  });

  it('waits as long as the receiver asks, up to a limit', () => {
    expect(retryDelayMs(1, 0, 90_000)).toBe(90_000);
    expect(retryDelayMs(4, 0, 90_000)).toBe(600_000);
    expect(retryDelayMs(1, 0, 10 ** 12)).toBe(MAX_RETRY_AFTER_MS);
    expect(retryDelayMs(9, 0, 1_000)).toBeUndefined();
  });

  it.each([
    ['120', 120_000],
    [' 0 ', 0],
    ['Wed, 21 Oct 2026 07:28:10 GMT', 10_000],
    ['Wed, 21 Oct 2026 07:27:00 GMT', 0],
    ['-5', undefined],
    ['1.5', undefined],
    ['2026-10-21T07:28:00Z', undefined],
    ['soon', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('reads Retry-After: %j', (text, ms) => {
    expect(parseRetryAfter(text, Date.UTC(2026, 9, 21, 7, 28))).toBe(ms);
  });
});
