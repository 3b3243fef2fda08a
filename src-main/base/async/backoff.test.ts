import { describe, expect, it } from 'vitest';
import { backoffDelayMs, defaultBackoff } from './backoff.ts';

describe('backoffDelayMs', () => {
  it('doubles from the first delay up to the largest', () => {
    const delays = [1, 2, 3, 7, 50].map((attempt) => backoffDelayMs(defaultBackoff, attempt, 0));
    expect(delays).toEqual([1_000, 2_000, 4_000, 60_000, 60_000]);
  });

  it('draws at most its share at random', () => {
    expect(backoffDelayMs(defaultBackoff, 1, 0.999)).toBeGreaterThanOrEqual(800);
  });
});
