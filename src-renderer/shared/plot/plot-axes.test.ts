import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitScales, type Extent, type Scales } from './plot-axes.ts';
import { ticksOf } from './plot-scale.ts';

const value = fc.double({ min: -1e6, max: 1e6, noNaN: true });
const anExtent: fc.Arbitrary<Extent> = fc
  .tuple(value, value)
  .map(([one, other]) => ({ min: Math.min(one, other), max: Math.max(one, other) }));
const nothing: Extent = { min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY };

function bothOf(left: Extent, right: Extent, kept: Scales = {}): { left: number[]; right: number[]; scales: Scales } {
  const scales = fitScales({ left, right }, kept);
  if (scales.left === undefined || scales.right === undefined) throw new Error('a scale is missing');
  return { left: ticksOf(scales.left), right: ticksOf(scales.right), scales };
}

describe('the scales of two sides', () => {
  it.each([
    ['of a motor that goes forward', { min: 0, max: 91 }, { min: 0, max: 0.84 }],
    ['of one that goes both ways', { min: -22, max: 90 }, { min: 0, max: 0.84 }],
    ['of one that goes back', { min: -90, max: 0 }, { min: -0.84, max: 0.1 }],
    ['of one that stands still', { min: 0, max: 0 }, { min: 0, max: 0 }],
    ['of one without power', { min: 0, max: 60 }, { min: 0, max: 0 }],
    ['before the first value', nothing, nothing],
  ])('%s have 0 on the same line', (_name, left, right) => {
    const ticks = bothOf(left, right);
    expect(ticks.left).toHaveLength(ticks.right.length);
    expect(ticks.left.indexOf(0)).toBeGreaterThanOrEqual(0);
    expect(ticks.left.indexOf(0)).toBe(ticks.right.indexOf(0));
  });

  it('use the room: speed and power of a motor that goes forward both begin at the bottom', () => {
    const ticks = bothOf({ min: 0, max: 91 }, { min: 0, max: 0.84 });
    expect(ticks.left[0]).toBe(0);
    expect(ticks.right[0]).toBe(0);
    expect(ticks.left.at(-1)).toBeLessThanOrEqual(200);
    expect(ticks.right.at(-1)).toBeLessThanOrEqual(1.5);
  });

  it('have 0 in the middle while everything is 0', () => {
    expect(bothOf({ min: 0, max: 0 }, { min: 0, max: 0 }).left).toEqual([-1, 0, 1]);
  });

  it('contain any values, have their lines at the same heights, and 0 at one height if both have it', () => {
    fc.assert(
      fc.property(anExtent, anExtent, (left, right) => {
        const ticks = bothOf(left, right);
        expect(ticks.left).toHaveLength(ticks.right.length);
        expect(ticks.left.length).toBeLessThanOrEqual(7);
        for (const [side, extent] of [
          ['left', left],
          ['right', right],
        ] as const) {
          const scale = ticks.scales[side];
          const slack = (scale?.step ?? 0) * 1e-6;
          expect(scale?.min).toBeLessThanOrEqual(extent.min + slack);
          expect(scale?.max).toBeGreaterThanOrEqual(extent.max - slack);
        }
        if (left.min <= 0 && left.max >= 0 && right.min <= 0 && right.max >= 0) {
          expect(ticks.left.indexOf(0)).toBe(ticks.right.indexOf(0));
        }
      }),
    );
  });

  it('stay the same while they fit, and change when a value is beyond them or they are far too large', () => {
    const { scales } = bothOf({ min: 0, max: 91 }, { min: 0, max: 0.84 });
    const again = (left: Extent): Scales => fitScales({ left, right: { min: 0, max: 0.5 } }, scales);
    expect(again({ min: 0, max: 88 })).toBe(scales);
    expect(again(nothing)).toBe(scales);
    expect(again({ min: -5, max: 88 })).not.toBe(scales);
    expect(again({ min: 0, max: 3 })).not.toBe(scales);
  });

  it('is one scale where all lines are on one side', () => {
    const scales = fitScales({ left: { min: 0, max: 96 } }, {});
    expect(scales).toEqual({ left: { min: 0, max: 100, step: 50 } });
  });
});
