import { describe, expect, it } from 'vitest';
import { EdgeRate } from './edge-rate.ts';
import { ManualClock } from '../../base/clock.ts';

const NS_PER_MS = 1_000_000n;
const epochNs = 1_800_000_000_000_000_000n;

function rateOf(times: readonly number[]) {
  const clock = new ManualClock();
  const rate = new EdgeRate(clock);
  times.forEach((ms, index) => rate.edge(epochNs + BigInt(ms) * NS_PER_MS, index + 1));
  return { clock, rate };
}

describe('rate of edges', () => {
  it('is told by the times the edges carry, also where they all arrive at once', () => {
    const { rate } = rateOf(Array.from({ length: 100 }, (_, index) => index * 4));
    expect(rate.perSec()).toBeCloseTo(250, 9);
    expect(rateOf([0, 200, 400]).rate.perSec()).toBeCloseTo(5, 9);
  });

  it('is 0 before two edges, and falls while no edge comes', () => {
    expect(rateOf([]).rate.perSec()).toBe(0);
    expect(rateOf([0]).rate.perSec()).toBe(0);
    const { clock, rate } = rateOf([0, 10, 20, 30]);
    expect(rate.perSec()).toBeCloseTo(100, 9);
    clock.advance(500);
    expect(rate.perSec()).toBeCloseTo(2, 9);
    clock.advance(501);
    expect(rate.perSec()).toBe(0);
  });

  it('goes with the direction, and does not count a standstill in', () => {
    const clock = new ManualClock();
    const rate = new EdgeRate(clock);
    [0, -1, -2, -3].forEach((count, index) => rate.edge(BigInt(index * 10) * NS_PER_MS, count));
    expect(rate.perSec()).toBeCloseTo(-100, 9);
    [-2, -1, 0].forEach((count, index) => rate.edge(BigInt(60_000 + index * 20) * NS_PER_MS, count));
    expect(rate.perSec()).toBeCloseTo(50, 9);
  });
});
