import { describe, expect, it } from 'vitest';
import type { QueryResponse } from '../../../proto/gen/core/diagnostics/v1/diagnostics.ts';
import { exportMetrics } from './export-metrics.ts';
import { metricValue, defaultMetrics } from './metric-words.ts';
import { addressOf, gridFor, readAddress } from './range.ts';
import { ShownSeries } from './shown-series.ts';

describe('an address', () => {
  it.each([
    [{}, { range: 'minutes10', window: undefined, metrics: undefined }],
    [{ range: 'day' }, { range: 'day', window: undefined, metrics: undefined }],
    [{ range: 'week' }, { range: 'minutes10', window: undefined, metrics: undefined }],
    [{ metric: 'a' }, { range: 'minutes10', window: undefined, metrics: ['a'] }],
    [
      { metric: ['b', 'a', 'b'], range: 'hour' },
      { range: 'hour', window: undefined, metrics: ['b', 'a'] },
    ],
    [
      { from: '1000', to: '2000' },
      { range: 'minutes10', window: { from: 1_000, to: 2_000 }, metrics: undefined },
    ],
    [
      { from: '2000', to: '1000' },
      { range: 'minutes10', window: undefined, metrics: undefined },
    ],
  ])('%j is read correctly', (query, shown) => {
    expect(readAddress(query)).toEqual(shown);
  });

  it('is written as it was read', () => {
    const query = { range: 'hour', from: '1000', to: '2000', metric: ['a', 'b'] };
    expect(addressOf(readAddress(query))).toEqual(query);
  });
});

describe('the stretches of a plot', () => {
  const now = 1_700_000_000_500;
  const shown = { metrics: undefined, window: undefined };

  it.each([
    ['minutes10', 1_000, 600],
    ['hour', 5_000, 720],
    ['day', 120_000, 720],
  ] as const)('of %s are whole seconds, and the last one contains the present', (range, stretchMs, count) => {
    const grid = gridFor({ ...shown, range }, now);
    expect(grid).toMatchObject({ stretchMs, count });
    expect(grid.from % stretchMs).toBe(0);
    const end = grid.from + count * stretchMs;
    expect([end > now, end - stretchMs <= now]).toEqual([true, true]);
  });

  it('cover a selected time', () => {
    const grid = gridFor({ ...shown, range: 'day', window: { from: 10_300, to: 12_100 } }, now);
    expect(grid).toEqual({ from: 10_000, stretchMs: 1_000, count: 3 });
  });
});

describe('the values of a metric', () => {
  const series = { metric: { name: 'a', unit: 'B', source: '' }, min: [1, 2], max: [3, 4], average: [2, 3] };

  it('include new samples and move on with the time', () => {
    const known = new ShownSeries(2);
    known.put(series, 1);
    known.add(1, 7);
    expect([known.min[1], known.max[1], known.average[1], known.latest]).toEqual([2, 7, 5, 5]);
    known.shift(1);
    known.add(1, 9);
    known.add(1, Number.NaN);
    known.add(5, 1);
    expect(Array.from(known.average)).toEqual([5, 9]);
    expect(known.extent).toEqual({ min: 2, max: 9 });
    known.shift(10);
    expect([known.extent, known.latest]).toEqual([undefined, undefined]);
  });
});

describe('metrics', () => {
  it('shown by default are the usual ones that exist and those of the first modules', () => {
    const names = ['calls.requests', 'module.a.cpu', 'module.a.memory.resident', 'process.threads', 'system.cpu.busy'];
    expect(defaultMetrics(names)).toEqual([
      'system.cpu.busy',
      'calls.requests',
      'module.a.cpu',
      'module.a.memory.resident',
    ]);
  });

  it.each([
    [1_500_000, 'B', '1.5\u00a0MB'],
    [2_000, 'B/s', '2.0\u00a0kB/s'],
    [12.34, '%', '12.34\u00a0%'],
    [7, '', '7'],
  ])('%d %s is shown as %s', (value, unit, words) => {
    expect(metricValue(value, unit)).toBe(words);
  });
});

describe('an export', () => {
  it('is read in several calls, without the seconds in which nothing was recorded', async () => {
    const asked: number[] = [];
    const query = (metrics: readonly string[], range: { from: number }, count: number): Promise<QueryResponse> => {
      asked.push(count);
      const average = Array.from({ length: count }, (_, at) => (range.from + at * 1_000 === 3_000 ? 1.5 : Number.NaN));
      const one = { metric: { name: 'a,b', unit: 'ms', source: '' }, min: average, max: average, average };
      return Promise.resolve({ series: metrics.includes('a,b') ? [one] : [], unreadable: [] });
    };
    const shares: number[] = [];
    const names = ['a,b', ...Array.from({ length: 29_999 }, (_, at) => `m${at}`)];
    const whole = await exportMetrics(
      { query },
      names,
      { from: 1_200, to: 4_100 },
      (share) => shares.push(share),
      new AbortController().signal,
    );
    expect(asked).toEqual([2, 2]);
    expect(shares.at(-1)).toBe(1);
    expect(whole.rows).toBe(1);
    const [head = '', row = ''] = whole.text.split('\n');
    expect([head.slice(0, 17), row.slice(0, 30)]).toEqual(['time,"a,b (ms)",m', '1970-01-01T00:00:03.000Z,1.5,,']);
  });
});
