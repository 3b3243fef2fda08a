import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { Allowance } from './allowance.ts';

describe('an allowance', () => {
  it('is whole at the beginning and after a second of rest, and grows in between', () => {
    const clock = new ManualClock();
    const allowance = new Allowance(clock, 1_000);
    expect([allowance.take(1_000), allowance.take(1)]).toEqual([true, false]);
    clock.advance(500);
    expect([allowance.take(501), allowance.take(500)]).toEqual([false, true]);
    clock.advance(60_000);
    expect([allowance.take(1_001), allowance.take(1_000)]).toEqual([false, true]);
  });

  it('is never exceeded, whatever is asked for when', () => {
    const asks = fc.array(fc.tuple(fc.nat({ max: 400 }), fc.integer({ min: 1, max: 1_500 })), { maxLength: 60 });
    fc.assert(
      fc.property(asks, (steps) => {
        const clock = new ManualClock();
        const allowance = new Allowance(clock, 1_000);
        let taken = 0;
        let passedMs = 0;
        for (const [waitMs, amount] of steps) {
          clock.advance(waitMs);
          passedMs += waitMs;
          if (allowance.take(amount)) taken += amount;
          expect(taken).toBeLessThanOrEqual(1_000 + passedMs + 1e-6);
        }
      }),
    );
  });
});
