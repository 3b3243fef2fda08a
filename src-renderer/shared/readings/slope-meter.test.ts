import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SlopeMeter } from './slope-meter.ts';

describe('the speed from positions', () => {
  it("is computed from the machine's times, however late the values arrive", () => {
    const meter = new SlopeMeter(250);
    let speed: number | undefined;
    for (let at = 0; at <= 1_000; at += 20) speed = meter.add(at, (at / 60_000) * 96);
    expect((speed ?? 0) * 60).toBeCloseTo(96, 6);
  });

  it('is steady with an encoder of 200 ticks a turn', () => {
    const meter = new SlopeMeter(250);
    const speeds: number[] = [];
    for (let at = 0; at <= 5_000; at += 20) {
      const ticks = Math.floor((at / 60_000) * 96 * 200);
      const speed = meter.add(at, ticks / 200);
      if (at > 500 && speed !== undefined) speeds.push(speed * 60);
    }
    expect(Math.min(...speeds)).toBeGreaterThan(93);
    expect(Math.max(...speeds)).toBeLessThan(99);
  });

  it('is known from the second value on, also with one value per second', () => {
    const meter = new SlopeMeter(250);
    expect(meter.add(0, 0)).toBeUndefined();
    expect(meter.add(1_000, 2)).toBe(2);
    expect(meter.add(2_000, 2)).toBe(0);
  });

  it('starts over after a long gap, and after a clock was set back', () => {
    const meter = new SlopeMeter(250);
    meter.add(0, 0);
    expect(meter.add(60_000, 1_000)).toBeUndefined();
    meter.add(60_020, 1_001);
    expect(meter.add(10, 5)).toBeUndefined();
  });

  it('is a number for any times and values', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(10_000), fc.integer()), { minLength: 1, maxLength: 60 }), (points) => {
        const meter = new SlopeMeter(250);
        for (const [at, value] of points) {
          const speed = meter.add(at, value);
          if (speed !== undefined) expect(Number.isFinite(speed)).toBe(true);
        }
      }),
    );
  });
});
