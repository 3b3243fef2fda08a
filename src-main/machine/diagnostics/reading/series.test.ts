import { describe, expect, it } from 'vitest';
import { BlockEncoder } from '../format/block-encoder.ts';
import { counter, gauge, type MetricDescription } from '../source.ts';
import { RateOf, SeriesGatherer, shownUnit } from './series.ts';

function blockOf(
  metric: MetricDescription,
  samples: readonly (readonly [seconds: number, value: number])[],
): Uint8Array {
  const encoder = new BlockEncoder();
  const id = encoder.define('test', [gauge('other'), metric]);
  for (const [seconds, value] of samples) encoder.sample(seconds * 1_000, [{ id, values: Float64Array.of(0, value) }]);
  return encoder.since(0).slice();
}

function gather(blocks: readonly Uint8Array[], toSeconds: number, count: number) {
  const gatherer = new SeriesGatherer((name) => name === 'test.metric', { from: 0, to: toSeconds * 1_000 }, count);
  for (const block of blocks) gatherer.add(block);
  const series = gatherer.series.get('test.metric');
  return series && [series.min, series.max, series.average].map((values) => Array.from(values));
}

describe('a series', () => {
  it('has the least, greatest and mean value of each stretch, and nothing where nothing was recorded', () => {
    const block = blockOf(gauge('metric', 'B'), [[0, 1], [1, 5], [2, 3], [9, 7]]); // prettier-ignore
    expect(gather([block], 10, 5)).toEqual([
      [1, 3, Number.NaN, Number.NaN, 7],
      [5, 3, Number.NaN, Number.NaN, 7],
      [3, 3, Number.NaN, Number.NaN, 7],
    ]);
  });

  it('of a counter is how fast it rose, over the end of a block too', () => {
    const metric = counter('metric', '', 1);
    const blocks = [blockOf(metric, [[0, 100], [1, 104]]), blockOf(metric, [[2, 110], [3, 110]])]; // prettier-ignore
    expect(gather(blocks, 4, 4)?.[2]).toEqual([Number.NaN, 4, 6, 0]);
  });

  it('does not know a metric that was not recorded', () => {
    expect(gather([blockOf(gauge('another'), [[0, 1]])], 10, 5)).toBeUndefined();
  });
});

describe('a rate', () => {
  it.each<[string, readonly (readonly [seconds: number, value: number])[], number]>([
    ['is a second’s', [[0, 0], [2, 10]], 5], // prettier-ignore
    ['is not known of the first', [[0, 10]], Number.NaN],
    ['is not known where it started afresh', [[0, 10], [1, 3]], Number.NaN], // prettier-ignore
    ['is not known over a time in which nobody looked', [[0, 10], [11, 30]], Number.NaN], // prettier-ignore
    ['goes on behind a value that is missing', [[0, 10], [1, Number.NaN], [2, 30]], 10], // prettier-ignore
  ])('%s', (_title, samples, expected) => {
    const rate = new RateOf(counter('metric'));
    let last = Number.NaN;
    for (const [seconds, value] of samples) last = rate.next(seconds * 1_000, value);
    expect(last).toBe(expected);
  });

  it('of time is a share', () => {
    const rate = new RateOf(counter('cpu', 's', 100));
    rate.next(0, 100);
    expect(rate.next(1_000, 150)).toBe(50);
    expect(shownUnit(counter('cpu', 's', 100))).toBe('%');
    expect(shownUnit(counter('received', 'B'))).toBe('B/s');
    expect(shownUnit(gauge('delay', 'ms'))).toBe('ms');
  });
});
