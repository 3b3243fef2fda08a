import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { angleAt, clampAngle, dutyAt, type PulseRange } from './servo-pulse.ts';
import { highestServoHz } from './schema.ts';

const standard: PulseRange = {
  minAngleDeg: 0,
  maxAngleDeg: 180,
  minWidthUs: 500,
  maxWidthUs: 2_500,
  resolution: undefined,
};

describe('pulses of a servo', () => {
  it('are as wide as the angle says, whatever the frequency', () => {
    expect(dutyAt(standard, 0, 50)).toBeCloseTo(0.025, 12);
    expect(dutyAt(standard, 90, 50)).toBeCloseTo(0.075, 12);
    expect(dutyAt(standard, 180, 300)).toBeCloseTo(0.75, 12);
    expect(
      dutyAt({ ...standard, minAngleDeg: 30, maxAngleDeg: 60, minWidthUs: 1_000, maxWidthUs: 2_000 }, 45, 100),
    ).toBeCloseTo(0.15, 12);
  });

  it('are rounded to the configured resolution', () => {
    const duty = dutyAt({ ...standard, resolution: 4_096 }, 90, 50);
    expect(duty * 4_096).toBe(Math.round(0.075 * 4_096));
  });

  it('are never wider or narrower than the widths, also when rounded, and never fill a period', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -1e6, max: 1e6, noNaN: true }),
        fc.integer({ min: 50, max: highestServoHz(standard.maxWidthUs) }),
        fc.option(fc.integer({ min: 256, max: 65_536 }), { nil: undefined }),
        (asked, freqHz, resolution) => {
          const range = { ...standard, resolution };
          const duty = dutyAt(range, clampAngle(range, asked), freqHz);
          const widthUs = (duty / freqHz) * 1e6;
          expect(widthUs).toBeGreaterThan(range.minWidthUs - 1e-6);
          expect(widthUs).toBeLessThan(range.maxWidthUs + 1e-6);
          expect(duty).toBeLessThan(1);
        },
      ),
    );
  });

  it('tell the angle again', () => {
    for (const angle of [0, 17, 90, 180])
      expect(angleAt(standard, dutyAt(standard, angle, 50), 50)).toBeCloseTo(angle, 9);
    expect(angleAt(standard, 0.5, 50)).toBe(180);
  });
});
