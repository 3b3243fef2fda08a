import { describe, expect, it } from 'vitest';
import { formatDuration, parseDuration } from './duration.ts';

describe('durations in Go syntax', () => {
  it.each([
    ['0', 0],
    ['300ms', 300],
    ['2s', 2_000],
    ['1m30s', 90_000],
    ['4m0s', 240_000],
    ['1.5h', 5_400_000],
    ['.5s', 500],
    ['-1s', -1_000],
    ['20us', 0.02],
  ])('%s is %d ms', (text, ms) => expect(parseDuration(text)).toBeCloseTo(ms, 9));

  it.each(['', '5', 's', '5 s', '5x', '1s2', '--1s', '1s-'])('%j is no duration', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  it('prints what it parsed', () => {
    for (const text of ['0s', '250ms', '2s', '1m30s', '4m0s', '1h0m0s', '1h2m3.5s']) {
      expect(formatDuration(parseDuration(text) ?? Number.NaN)).toBe(text);
    }
  });
});
