import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { RetryDelay } from './retry-delay.ts';

const HEALTHY_MS = 60_000;

function fixture() {
  const clock = new ManualClock();
  const retry = new RetryDelay(clock, () => 0, HEALTHY_MS);
  return {
    clock,
    retry,
    /** One start that was ready for this long before it ended. */
    lived(ms: number): number {
      retry.ready();
      clock.advance(ms);
      retry.ended();
      return retry.failed(true);
    },
    neverReady(): number {
      retry.ended();
      return retry.failed(false);
    },
  };
}

describe('a module that ended by itself', () => {
  it('after it was ready is started at once five times, then with a growing delay', () => {
    const { lived } = fixture();
    const delays = Array.from({ length: 13 }, () => lived(100));
    expect(delays).toEqual([0, 0, 0, 0, 0, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  });

  it('without ever getting ready waits from the first failure on', () => {
    const { neverReady, retry } = fixture();
    const delays = Array.from({ length: 8 }, () => neverReady());
    expect(delays).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
    expect(retry.attempts).toBe(8);
  });

  it('has all five again when it was well for a minute, and not sooner', () => {
    const { lived, retry } = fixture();
    for (let kill = 0; kill < 5; kill++) lived(100);
    expect(lived(HEALTHY_MS - 1)).toBe(1_000);
    expect(lived(HEALTHY_MS)).toBe(0);
    expect(retry.attempts).toBe(1);
    for (let kill = 0; kill < 4; kill++) expect(lived(100)).toBe(0);
    expect(lived(100)).toBe(1_000);
  });

  it('is started at once no more than five times between two minutes of health, whatever it does', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ isReady: fc.boolean(), forMs: fc.nat(HEALTHY_MS - 1) })), (lives) => {
        const { lived, neverReady } = fixture();
        const delays = lives.map(({ isReady, forMs }) => (isReady ? lived(forMs) : neverReady()));
        expect(delays.filter((ms) => ms === 0).length).toBeLessThanOrEqual(5);
        const waits = delays.filter((ms) => ms > 0);
        expect(waits).toEqual([...waits].sort((left, right) => left - right));
        lives.forEach(({ isReady }, at) => isReady || expect(delays[at]).toBeGreaterThan(0));
      }),
    );
  });
});
