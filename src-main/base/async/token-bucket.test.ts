import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../clock.ts';
import { TokenBucket } from './token-bucket.ts';

describe('TokenBucket', () => {
  it('is whole at the beginning and after a rest, and grows in between', () => {
    const clock = new ManualClock();
    const bucket = new TokenBucket(clock, { capacity: 1_000, perSecond: 1_000 });
    expect([bucket.take(1_000), bucket.take(1), bucket.isFull()]).toEqual([true, false, false]);
    clock.advance(500);
    expect([bucket.take(501), bucket.take(500)]).toEqual([false, true]);
    clock.advance(60_000);
    expect([bucket.isFull(), bucket.take(1_001), bucket.take(1_000)]).toEqual([true, false, true]);
  });

  it('says how long to wait, to the millisecond at which there is one again', () => {
    const clock = new ManualClock();
    const bucket = new TokenBucket(clock, { capacity: 10, perSecond: 0.5 });
    expect(bucket.waitMs()).toBe(0);
    for (let taken = 0; taken < 10; taken++) expect(bucket.take()).toBe(true);
    expect([bucket.take(), bucket.waitMs()]).toEqual([false, 2_000]);
    clock.advance(1_999);
    expect([bucket.take(), bucket.waitMs()]).toEqual([false, 1]);
    clock.advance(1);
    expect([bucket.waitMs(), bucket.take(), bucket.take()]).toEqual([0, true, false]);
  });

  it('gives its whole capacity in single pieces, whatever fraction of a millisecond the clock shows', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e9, noNaN: true }), (now) => {
        const bucket = new TokenBucket({ monotonic: () => now }, { capacity: 10, perSecond: 3 });
        const taken = Array.from({ length: 11 }, () => bucket.take());
        expect(taken).toEqual([...Array<boolean>(10).fill(true), false]);
      }),
    );
  });

  it('is never exceeded, whatever is asked for when', () => {
    const asks = fc.array(fc.tuple(fc.nat({ max: 400 }), fc.integer({ min: 1, max: 1_500 })), { maxLength: 60 });
    fc.assert(
      fc.property(asks, (steps) => {
        const clock = new ManualClock();
        const bucket = new TokenBucket(clock, { capacity: 1_000, perSecond: 500 });
        let taken = 0;
        let passedMs = 0;
        for (const [waitMs, amount] of steps) {
          clock.advance(waitMs);
          passedMs += waitMs;
          if (bucket.take(amount)) taken += amount;
          expect(taken).toBeLessThanOrEqual(1_000 + passedMs / 2 + 1e-3);
        }
      }),
    );
  });
});
