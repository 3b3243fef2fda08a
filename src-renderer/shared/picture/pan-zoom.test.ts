import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitted, isInView, MAX_SCALE, moved, showing, MIN_SCALE, zoomed } from './pan-zoom.ts';

const number = (min: number, max: number): fc.Arbitrary<number> => fc.double({ min, max, noNaN: true });
const view = fc.record({ x: number(-1e4, 1e4), y: number(-1e4, 1e4), scale: number(MIN_SCALE, MAX_SCALE) });
const frame = { width: 900, height: 600 };

describe('the view of a picture', () => {
  it('zooms around the pointer: the point under it stays there', () => {
    fc.assert(
      fc.property(view, number(0.01, 100), number(0, 900), number(0, 600), (before, factor, x, y) => {
        const after = zoomed(before, factor, { x, y });
        expect(after.scale).toBeGreaterThanOrEqual(MIN_SCALE);
        expect(after.scale).toBeLessThanOrEqual(MAX_SCALE);
        expect(after.x + x / after.scale).toBeCloseTo(before.x + x / before.scale, 6);
        expect(after.y + y / after.scale).toBeCloseTo(before.y + y / before.scale, 6);
      }),
    );
  });

  it('moves by pixels of the screen', () => {
    expect(moved({ x: 0, y: 0, scale: 2 }, 10, -20)).toEqual({ x: 5, y: -10, scale: 2 });
  });

  it('shows a small picture in the middle and begins a large one at its start, legible', () => {
    const small = fitted({ width: 100, height: 100 }, frame);
    expect(small.x + frame.width / small.scale / 2).toBeCloseTo(50);
    expect(fitted({ width: 9000, height: 9000 }, frame)).toEqual({ x: 0, y: 0, scale: 0.65 });
    expect(fitted({ width: 9000, height: 600 }, frame, 0).scale).toBeCloseTo(0.1);
  });

  it('moves to show a box', () => {
    const box = fc.record({
      x: number(-1e4, 1e4),
      y: number(-1e4, 1e4),
      width: number(10, 200),
      height: fc.constant(28),
    });
    fc.assert(
      fc.property(view, box, (before, place) => {
        expect(isInView(showing(before, place, frame), place, frame)).toBe(true);
      }),
    );
  });
});
