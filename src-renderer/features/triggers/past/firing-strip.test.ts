import { describe, expect, it } from 'vitest';
import { firingCounts, stretches, stripLine } from './firing-strip.ts';

describe('the strip of the last day', () => {
  it('counts firings in its stretches, including the edges', () => {
    const counts = firingCounts([0, 5, 999, 1_000], 0, 1_000);
    expect([counts[0], counts.at(-1), counts.reduce((sum, one) => sum + one, 0)]).toEqual([2, 2, 4]);
    expect(counts).toHaveLength(stretches);
  });

  it('draws a line with its gaps, and the threshold on the same scale', () => {
    const points = [
      { index: 0, value: 0 },
      { index: 1, value: 10 },
      { index: 50, value: 5 },
    ];
    expect(stripLine(points, 20)).toEqual({ path: 'M0.5 90h0.01L1.5 50M50.5 70h0.01', threshold: 10 });
    expect(stripLine([{ index: 3, value: 7 }], undefined)).toEqual({ path: 'M3.5 50h0.01', threshold: undefined });
    expect(stripLine([], 3)).toBeUndefined();
  });
});
