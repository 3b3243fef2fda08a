import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boxAt, boxBetween, grips, isDrawn, moved, newBoxIn, resized, type Edges } from './box-geometry.ts';

const size = { width: 640, height: 480 };
const part = fc.double({ min: 0, max: 1, noNaN: true });
const point = fc.record({ x: part, y: part });
const shift = fc.double({ min: -2, max: 2, noNaN: true });
const box = fc
  .tuple(point, point)
  .map(([one, other]) => boxBetween(one, other))
  .filter((edges) => isDrawn(edges, { width: 1 / 640, height: 1 / 480 }));
const isWithin = ({ left, top, right, bottom }: Edges): boolean =>
  left >= 0 && top >= 0 && right <= 1 && bottom <= 1 && left < right && top < bottom;

describe('boxes', () => {
  it('stay in the picture and keep their size however they are moved', () => {
    fc.assert(
      fc.property(box, shift, shift, (edges, dx, dy) => {
        const next = moved(edges, dx, dy);
        expect(isWithin(next)).toBe(true);
        expect(next.right - next.left).toBeCloseTo(edges.right - edges.left, 9);
        expect(next.bottom - next.top).toBeCloseTo(edges.bottom - edges.top, 9);
      }),
    );
  });

  it('keep at least a pixel however they are resized, and the other edges stay', () => {
    fc.assert(
      fc.property(box, fc.constantFrom(...grips), shift, shift, (edges, grip, dx, dy) => {
        const next = resized(edges, grip, dx, dy, size);
        expect(isWithin(next)).toBe(true);
        for (const edge of ['left', 'right', 'top', 'bottom'] as const) {
          if (edge !== grip.x && edge !== grip.y) expect(next[edge]).toBe(edges[edge]);
        }
      }),
    );
  });

  it('are drawn from any corner, also from beyond the picture', () => {
    const drawn = { left: 0.25, top: 0, right: 1, bottom: 0.5 };
    expect(boxBetween({ x: 1.4, y: 0.5 }, { x: 0.25, y: -0.3 })).toEqual(drawn);
    expect(boxBetween({ x: 0.25, y: -0.3 }, { x: 1.4, y: 0.5 })).toEqual(drawn);
  });

  it('are created in the middle of the visible part', () => {
    expect(newBoxIn({ left: 0.5, top: 0, right: 0.9, bottom: 0.8 })).toEqual({
      ...{ left: expect.closeTo(0.65) as number, right: expect.closeTo(0.75) as number },
      ...{ top: expect.closeTo(0.3) as number, bottom: expect.closeTo(0.5) as number },
    });
  });

  it('are found at a point, the smallest one first', () => {
    const outer = { edges: { left: 0, top: 0, right: 1, bottom: 1 } };
    const inner = { edges: { left: 0.4, top: 0.4, right: 0.6, bottom: 0.6 } };
    expect(boxAt([inner, outer], { x: 0.5, y: 0.5 })).toBe(inner);
    expect(boxAt([outer, inner], { x: 0.5, y: 0.5 })).toBe(inner);
    expect(boxAt([outer, inner], { x: 0.1, y: 0.5 })).toBe(outer);
    expect(boxAt([inner], { x: 0.1, y: 0.5 })).toBeUndefined();
  });
});
