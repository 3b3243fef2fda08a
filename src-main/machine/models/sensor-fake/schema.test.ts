import { describe, expect, it } from 'vitest';
import { checkFakeSensor } from './schema.ts';

describe('fake sensor', () => {
  it('a wrong wave is named where it is', () => {
    const problems = checkFakeSensor({
      readings: { 'a/b': [{ wave: 'square', period_ms: 0, min: 'x', top: 1 }], ok: { wave: 'sine' } },
    });
    expect(problems.map(({ pointer }) => pointer)).toEqual([
      '/readings/a~1b/0/wave',
      '/readings/a~1b/0/period_ms',
      '/readings/a~1b/0/min',
      '/readings/a~1b/0/top',
    ]);
    expect(problems.map(({ message }) => message)).toEqual([
      '"wave" is "square"; allowed are sine, ramp, toggle.',
      '"period_ms" is 0; allowed is a number above 0.',
      '"min" of a wave is "x"; allowed is a number.',
      'A wave has no "top": remove it, or use wave, period_ms, min or max.',
    ]);
  });
});
