import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gridOf, restOf, SeriesValues, slicesOf, timeOfStretch } from './series-grid.ts';

describe('the grid of a series', () => {
  it('covers the time with stretches of whole milliseconds, no more than there are pixels', () => {
    const time = fc.integer({ min: 0, max: 4e12 });
    fc.assert(
      fc.property(
        time,
        fc.integer({ min: 1, max: 1e12 }),
        fc.integer({ min: 1, max: 10_000 }),
        (from, lengthMs, pixels) => {
          const grid = gridOf(from, from + lengthMs, pixels);
          expect(Number.isInteger(grid.stretchMs)).toBe(true);
          expect(grid.count).toBeLessThanOrEqual(pixels);
          expect(timeOfStretch(grid, grid.count)).toBeGreaterThanOrEqual(from + lengthMs);
          expect(timeOfStretch(grid, grid.count - 1)).toBeLessThan(from + lengthMs);
        },
      ),
    );
  });

  it('is divided into slices that cover everything, newest first', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3_000 }), fc.integer({ min: 0, max: 1e9 }), (count, readings) => {
        const slices = slicesOf({ from: 0, stretchMs: 1, count }, readings);
        expect(slices[0]?.end).toBe(count);
        expect(slices.at(-1)?.start).toBe(0);
        for (const [index, { start, end }] of slices.entries()) {
          expect(end).toBeGreaterThan(start);
          expect(slices[index + 1]?.end ?? 0).toBe(start);
        }
      }),
    );
    expect(slicesOf({ from: 0, stretchMs: 1, count: 1_000 }, 5_000)).toHaveLength(1);
    expect(slicesOf({ from: 0, stretchMs: 1, count: 1_000 }, 1_000_000)).toHaveLength(25);
  });

  it('continues where an answer stopped, with the stretch that was read only in part', () => {
    const grid = gridOf(1_000, 2_000, 10);
    expect(restOf(grid, { start: 0, end: 10 }, 1_349)).toEqual({ start: 3, end: 10 });
    expect(restOf(grid, { start: 3, end: 10 }, 1_399)).toBeUndefined();
    expect(restOf(grid, { start: 0, end: 5 }, 1_500)).toBeUndefined();
  });

  it('contains the values of the answers, and gaps', () => {
    const values = new SeriesValues(4);
    expect(values.extent).toBeUndefined();
    values.put({ start: 2, end: 4 }, [{ index: 0, min: -1, max: 3, average: 1, count: 2n }]);
    values.put({ start: 0, end: 2 }, [{ index: 1, min: 5, max: 5, average: 5, count: 1n }]);
    expect([...values.average]).toEqual([NaN, 5, 1, NaN]);
    expect(values.extent).toEqual({ min: -1, max: 5 });
    values.put({ start: 1, end: 4 }, [{ index: 0, min: 7, max: 9, average: 8, count: 3n }]);
    expect([values.min[1], values.max[1], values.average[1]]).toEqual([7, 9, 8]);
  });
});
