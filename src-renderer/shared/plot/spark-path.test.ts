import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PlotBuffer } from './plot-buffer.ts';
import { sparkPicture } from './spark-path.ts';

const size = { width: 200, height: 40 };
const windowMs = 300_000;

function pointsOf(path: string): { x: number; y: number }[] {
  return [...path.matchAll(/[ML](-?[\d.]+) (-?[\d.]+)/g)].map(([, x, y]) => ({ x: Number(x), y: Number(y) }));
}

describe('a small plot', () => {
  it('is nothing where there is no value in its time', () => {
    const buffer = new PlotBuffer();
    expect(sparkPicture(buffer, 1e6, windowMs, size)).toEqual({ path: '', extent: undefined });
    buffer.add(1_000, 5);
    expect(sparkPicture(buffer, 1e6, windowMs, size).path).toBe('');
  });

  it('goes up with its values, and has a gap where none came', () => {
    const buffer = new PlotBuffer();
    for (let at = 0; at <= 100_000; at += 500) buffer.add(1e6 + at, at);
    for (let at = 200_000; at <= 290_000; at += 500) buffer.add(1e6 + at, at);
    const { path, extent } = sparkPicture(buffer, 1e6 + 300_000, windowMs, size);
    expect(path.match(/M/g)).toHaveLength(2);
    expect(extent).toEqual({ min: 0, max: 290_000 });
    const points = pointsOf(path);
    expect(points.at(0)?.y).toBeGreaterThan(points.at(-1)?.y ?? Infinity);
    expect(points.at(-1)?.x).toBeLessThan(200);
  });

  it('stays in its box and short, whatever the values', () => {
    const values = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 2_000 });
    fc.assert(
      fc.property(values, (all) => {
        const buffer = new PlotBuffer();
        all.forEach((value, index) => buffer.add(1e6 + index * 150, value));
        const { path } = sparkPicture(buffer, 1e6 + 300_000, windowMs, size);
        const points = pointsOf(path);
        for (const { x, y } of points) {
          expect(y).toBeGreaterThanOrEqual(0);
          expect(y).toBeLessThanOrEqual(size.height);
          expect(x).toBeLessThanOrEqual(size.width + 1);
        }
        // At most four points a column.
        expect(points.length).toBeLessThanOrEqual(4 * size.width + 4);
      }),
      { numRuns: 40 },
    );
  });
});
