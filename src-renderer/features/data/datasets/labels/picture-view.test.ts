import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PictureView } from './picture-view.ts';

const size = { width: 640, height: 480 };
const step = fc.oneof(
  fc.record({ zoom: fc.double({ min: 0.1, max: 10, noNaN: true }), x: fc.nat(640), y: fc.nat(480) }),
  fc.record({ dx: fc.integer({ min: -900, max: 900 }), dy: fc.integer({ min: -900, max: 900 }) }),
);

describe('the visible part of a picture', () => {
  it('stays within the picture, and keeps its proportions, however it is zoomed and moved', () => {
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const view = steps.reduce(
          (at, each) => ('zoom' in each ? at.zoomed(each.zoom, each) : at.moved(each.dx, each.dy)),
          new PictureView(size),
        );
        const { x, y, width, height } = view.frame;
        expect(Math.min(x, y)).toBeGreaterThanOrEqual(0);
        expect(x + width).toBeLessThanOrEqual(640 + 1e-9);
        expect(y + height).toBeLessThanOrEqual(480 + 1e-9);
        expect(width / height).toBeCloseTo(4 / 3, 9);
      }),
    );
  });

  it('keeps the point under the pointer in place when zoomed', () => {
    const { frame } = new PictureView(size).zoomed(2, { x: 160, y: 120 });
    expect(frame).toEqual({ x: 80, y: 60, width: 320, height: 240 });
  });

  it('moves as far as needed to show a box', () => {
    const view = new PictureView(size).zoomed(4, { x: 0, y: 0 });
    const far = view.showing({ x: 600, y: 400, width: 30, height: 30 }).frame;
    expect(far.x + far.width).toBeGreaterThanOrEqual(630);
    expect(far.y + far.height).toBeGreaterThanOrEqual(430);
    expect(view.showing({ x: 50, y: 50, width: 30, height: 30 }).frame).toEqual(view.frame);
    const back = view.moved(300, 200).showing({ x: 10, y: 20, width: 600, height: 400 }).frame;
    expect([back.x, back.y]).toEqual([2, 14]);
  });

  it('has a scale, also while nothing is drawn yet', () => {
    expect(new PictureView(size).scaleIn({ width: 320, height: 480 })).toBe(0.5);
    expect(new PictureView(size).scaleIn({ width: 0, height: 0 })).toBe(1);
  });
});
