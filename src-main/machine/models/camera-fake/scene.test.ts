import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scene, type SceneSettings } from './scene.ts';

const settings: fc.Arbitrary<SceneSettings> = fc.record({
  width: fc.integer({ min: 16, max: 4_096 }),
  height: fc.integer({ min: 16, max: 4_096 }),
  shapes: fc.integer({ min: 0, max: 16 }),
  seed: fc.nat(),
});
const time = fc.integer({ min: 0, max: 4_000_000_000_000 });

describe('what a fake camera looks at', () => {
  it('follows from settings and time alone', () => {
    fc.assert(fc.property(settings, time, (of, at) => void expect(scene(of, at)).toEqual(scene({ ...of }, at))));
  });

  it('has all of its shapes in the picture, in whole pixels, and none over another one', () => {
    fc.assert(
      fc.property(settings, time, (of, at) => {
        const shapes = scene(of, at);
        expect(shapes).toHaveLength(of.shapes);
        let below = 0;
        for (const { kind, left, top, width, height } of shapes) {
          expect([left, top, width, height].every(Number.isInteger)).toBe(true);
          expect(Math.min(width, height)).toBeGreaterThanOrEqual(1);
          expect(left).toBeGreaterThanOrEqual(0);
          expect(left + width).toBeLessThanOrEqual(of.width);
          expect(top).toBeGreaterThanOrEqual(below);
          below = top + height;
          expect(below).toBeLessThanOrEqual(of.height);
          if (kind === 'circle') expect(width).toBe(height);
        }
      }),
    );
  });

  it('moves, steadily, and is another one for another seed', () => {
    const of = { width: 640, height: 480, shapes: 3, seed: 7 };
    const at = (timeMs: number) => scene(of, timeMs).map(({ left }) => left);
    expect(at(1_000)).not.toEqual(at(1_500));
    // Crossing 640 pixels takes at least 3 s: at most 2.2 pixels in 10 ms.
    at(1_010).forEach((left, index) => expect(Math.abs(left - (at(1_000)[index] ?? NaN))).toBeLessThanOrEqual(3));
    expect(scene({ ...of, seed: 8 }, 1_000)).not.toEqual(scene(of, 1_000));
  });
});
