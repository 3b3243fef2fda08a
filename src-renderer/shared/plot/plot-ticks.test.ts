import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { niceScale, ticksOf } from './plot-scale.ts';
import { clockTicks, tickNumbers } from './plot-ticks.ts';

const numberOf = (text: string): number => Number(text.replaceAll('−', '-').replaceAll(',', ''));

describe('the numbers of an axis', () => {
  it.each([
    [0, 96, ['0', '50', '100']],
    [-30, 30, ['−40', '−20', '0', '20', '40']],
    [1_000.02, 1_000.78, ['1,000', '1,000.2', '1,000.4', '1,000.6', '1,000.8']],
    [0, 0.0004, ['0', '0.0001', '0.0002', '0.0003', '0.0004']],
    [0, 3.2e-8, ['0', '1e−8', '2e−8', '3e−8', '4e−8']],
    [0, 4e9, ['0', '1e9', '2e9', '3e9', '4e9']],
  ])('for %d to %d are %j', (min, max, words) => {
    expect(tickNumbers(niceScale(min, max))).toEqual(words);
  });

  it('are exactly those of the lines, for any values', () => {
    const value = fc.double({ min: -1e7, max: 1e7, noNaN: true });
    const size = fc.double({ min: 1e-9, max: 1e7, noNaN: true });
    fc.assert(
      fc.property(value, size, (min, length) => {
        const scale = niceScale(min, min + length);
        const ticks = ticksOf(scale);
        for (const [index, words] of tickNumbers(scale).entries()) {
          expect(Math.abs(numberOf(words) - (ticks[index] ?? 0))).toBeLessThanOrEqual(scale.step * 1e-3);
        }
      }),
    );
  });
});

describe('the times of an axis', () => {
  it('are round, with the decimals that they need', () => {
    const at = new Date(2026, 10, 21, 10, 42, 7, 120).getTime();
    const labels = (lengthMs: number, most: number): string[] =>
      clockTicks(at, at + lengthMs, most).map(({ label }) => label);
    expect(labels(30_000, 4)).toEqual(['10:42:10', '10:42:20', '10:42:30']);
    expect(labels(400, 4)).toEqual(['10:42:07.2', '10:42:07.3', '10:42:07.4', '10:42:07.5']);
    expect(labels(20, 4)).toEqual(['10:42:07.120', '10:42:07.125', '10:42:07.130', '10:42:07.135', '10:42:07.140']);
    expect(labels(300_000, 5)).toEqual(['10:43', '10:44', '10:45', '10:46', '10:47']);
  });

  it('are in the window and few', () => {
    fc.assert(
      fc.property(fc.integer({ min: 20, max: 700_000 }), fc.integer({ min: 2, max: 9 }), (lengthMs, most) => {
        const from = 1_763_772_000_011;
        const ticks = clockTicks(from, from + lengthMs, most);
        expect(ticks.length).toBeLessThanOrEqual(most + 1);
        for (const { at } of ticks) expect(at >= from && at <= from + lengthMs).toBe(true);
      }),
    );
  });
});
