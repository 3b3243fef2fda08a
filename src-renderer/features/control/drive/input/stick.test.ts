import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withDeadZone } from './stick.ts';

describe('the dead zone of a stick', () => {
  it('is 0 up to its edge, and grows evenly from there', () => {
    expect(withDeadZone(0.1, 0.1)).toBe(0);
    expect(withDeadZone(0.55, 0.1)).toBeCloseTo(0.5, 9);
    expect(withDeadZone(-1, 0.1)).toBe(-1);
    expect(withDeadZone(Number.NaN, 0.1)).toBe(0);
  });

  it('keeps every value within 1, in its direction, and in order', () => {
    const raw = fc.double({ min: -2, max: 2, noNaN: true });
    fc.assert(
      fc.property(raw, raw, fc.double({ min: 0, max: 0.5, noNaN: true }), (one, other, deadZone) => {
        const [low, high] = [
          withDeadZone(Math.min(one, other), deadZone),
          withDeadZone(Math.max(one, other), deadZone),
        ];
        expect(low).toBeLessThanOrEqual(high);
        expect(Math.max(Math.abs(low), Math.abs(high))).toBeLessThanOrEqual(1);
        expect(withDeadZone(-one, deadZone) + withDeadZone(one, deadZone)).toBe(0);
      }),
    );
  });
});
