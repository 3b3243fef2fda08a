import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mixWheels } from './mixing.ts';

describe('mixing two wheels', () => {
  it.each([
    [1, 0, 1, 1],
    [-0.5, 0, -0.5, -0.5],
    [0, 1, 1, -1],
    [0.5, 0.25, 0.75, 0.25],
    [1, 1, 1, 0],
    [-1, 1, 0, -1],
  ])('makes of throttle %d and steering %d: left %d, right %d', (throttle, steering, left, right) => {
    const mixed = mixWheels(throttle, steering);
    expect(mixed.left).toBeCloseTo(left, 9);
    expect(mixed.right).toBeCloseTo(right, 9);
  });

  it('is bounded, and the same to the left as to the right, forward as back', () => {
    const value = fc.double({ min: -1, max: 1, noNaN: true });
    fc.assert(
      fc.property(value, value, (throttle, steering) => {
        const { left, right } = mixWheels(throttle, steering);
        expect(Math.max(Math.abs(left), Math.abs(right))).toBeLessThanOrEqual(1);
        const mirrored = mixWheels(throttle, -steering);
        expect([mirrored.left, mirrored.right]).toEqual([right, left]);
        const back = mixWheels(-throttle, -steering);
        expect(back.left + left + (back.right + right)).toBe(0);
      }),
    );
  });
});
