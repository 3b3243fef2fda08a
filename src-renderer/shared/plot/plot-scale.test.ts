import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { niceScale, ticksOf } from './plot-scale.ts';

describe('a scale', () => {
  it.each([
    [0, 96, [0, 50, 100]],
    [-30, 30, [-40, -20, 0, 20, 40]],
    [21.4, 21.6, [21.4, 21.45, 21.5, 21.55, 21.6]],
    [0, 0, [-1, 0, 1]],
    [21.5, 21.5, [15, 20, 25]],
  ])('for %d to %d has the lines %j', (min, max, ticks) => {
    expect(ticksOf(niceScale(min, max))).toEqual(ticks);
  });

  it('contains any values, with few lines', () => {
    const value = fc.double({ min: -1e12, max: 1e12, noNaN: true });
    fc.assert(
      fc.property(value, value, (left, right) => {
        const [min, max] = [Math.min(left, right), Math.max(left, right)];
        const scale = niceScale(min, max);
        const slack = scale.step * 1e-6;
        expect(scale.min).toBeLessThanOrEqual(min + slack);
        expect(scale.max).toBeGreaterThanOrEqual(max - slack);
        expect(ticksOf(scale).length).toBeLessThanOrEqual(8);
      }),
    );
  });

  it('exists before the first value', () => {
    expect(niceScale(Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY)).toEqual({ min: -1, max: 1, step: 1 });
  });
});
