import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SeriesAnswer, SeriesQuery } from '../../../shared/machine/data/data-calls.ts';
import { gridOf } from '../../../shared/plot/series-grid.ts';
import { readSeries, type SeriesProgress } from './series-reader.ts';

const source = { partId: 'p', componentType: 't', componentName: 'c', methodName: 'm' };

/** Values of readings, grouped by stretch. */
function byStretch(readings: readonly Reading[], stretchOf: (at: number) => number): Map<number, number[]> {
  const found = new Map<number, number[]>();
  for (const { at, value } of readings) found.set(stretchOf(at), [...(found.get(stretchOf(at)) ?? []), value]);
  return found;
}

interface Reading {
  readonly at: number;
  readonly value: number;
}

/** A hub that reads at most `atOnce` readings before its time limit is over. */
function hubOf(readings: readonly Reading[], atOnce: number, asked: SeriesQuery[] = []) {
  const sorted = [...readings].sort((one, other) => one.at - other.at);
  const series = async (query: SeriesQuery): Promise<SeriesAnswer> => {
    asked.push(query);
    const { from, to, pixels } = query;
    const inside = sorted.filter(({ at }) => at >= from && at < to);
    const seen = inside.slice(0, atOnce);
    const buckets = byStretch(seen, (at) => Math.floor(((at - from) * pixels) / (to - from)));
    return {
      buckets: [...buckets].map(([index, values]) => {
        const sum = values.reduce((total, value) => total + value, 0);
        const count = BigInt(values.length);
        return { index, min: Math.min(...values), max: Math.max(...values), average: sum / values.length, count };
      }),
      searchedTo: seen.length < inside.length ? seen.at(-1)?.at : undefined,
    };
  };
  return { series };
}

async function all(stream: AsyncIterable<SeriesProgress>): Promise<SeriesProgress[]> {
  const found: SeriesProgress[] = [];
  for await (const progress of stream) found.push({ ...progress, left: [...progress.left] });
  return found;
}

describe('a series', () => {
  const signal = new AbortController().signal;

  it('is complete, however often the hub stops before the end', async () => {
    const reading = fc.record({ at: fc.integer({ min: 0, max: 999 }), value: fc.integer() });
    const readings = fc.uniqueArray(reading, { selector: ({ at }) => at, maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(
        readings,
        fc.integer({ min: 12, max: 60 }),
        fc.integer({ min: 0, max: 400_000 }),
        async (some, atOnce, about) => {
          const grid = gridOf(0, 1_000, 100);
          const wanted = { source, path: ['a'], grid, readings: about };
          const progress = await all(readSeries(hubOf(some, atOnce), wanted, signal));
          expect(progress.at(-1)).toMatchObject({ share: 1, left: [] });
          const { min, max, average } = progress.at(-1)!.values;
          const expected = byStretch(some, (at) => Math.floor(at / 10));
          for (let index = 0; index < 100; index++) {
            const values = expected.get(index) ?? [];
            expect(min[index]).toBe(values.length === 0 ? NaN : Math.min(...values));
            expect(max[index]).toBe(values.length === 0 ? NaN : Math.max(...values));
            if (values.length > 0) expect(average[index]).toBeCloseTo(values.reduce((a, b) => a + b) / values.length);
          }
        },
      ),
    );
  });

  it('reports a stretch that the hub could not finish, and goes on with the next', async () => {
    const many = Array.from({ length: 50 }, (_, index) => ({ at: 505, value: index }));
    const grid = gridOf(0, 1_000, 10);
    const few = [
      { at: 50, value: 1 },
      { at: 950, value: 2 },
    ];
    const wanted = { source, path: ['a'], grid, readings: 1_000_000 };
    const progress = await all(readSeries(hubOf([...few, ...many], 20), wanted, signal));
    expect(progress.at(-1)).toMatchObject({ share: 1, left: [{ start: 5, end: 6 }] });
    expect([progress.at(-1)?.values.max[0], progress.at(-1)?.values.max[9]]).toEqual([1, 2]);
  });

  it('requests the newest slice first, and nothing more once it is cancelled', async () => {
    const asked: SeriesQuery[] = [];
    const controller = new AbortController();
    const hub = hubOf([], 10, asked);
    const wanted = { source, path: ['a'], grid: gridOf(0, 1_000, 10), readings: 1_000_000 };
    const stream = readSeries(hub, wanted, controller.signal);
    await stream.next();
    controller.abort();
    await expect(stream.next()).rejects.toThrow();
    expect(asked.map(({ from, to }) => [from, to])).toEqual([
      [900, 1_000],
      [800, 900],
    ]);
  });
});
