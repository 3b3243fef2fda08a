import { describe, expect, it } from 'vitest';
import { PlotClock } from './plot-clock.ts';

describe("the machine's time in a plot", () => {
  it('advances evenly while values arrive in bursts', () => {
    const clock = new PlotClock();
    expect(clock.at(0)).toBeUndefined();
    clock.note(10_000, 100);
    expect(clock.at(200)).toBe(10_100);
    // 80 ms late.
    clock.note(10_120, 300);
    expect(clock.at(300)).toBeCloseTo(10_200, 0);
  });

  it('follows a clock that was set, but not a single late value', () => {
    const clock = new PlotClock();
    clock.note(10_000, 0);
    clock.note(90_000, 20);
    expect(clock.at(20)).toBe(90_000);
    clock.note(10_000, 40);
    expect(clock.at(40)).toBe(90_020);
    clock.note(12_500, 2_500);
    expect(clock.at(2_500)).toBe(12_500);
  });
});
