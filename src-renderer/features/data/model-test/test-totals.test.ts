import { describe, expect, it } from 'vitest';
import { totalsOf } from './test-totals.ts';

const of = (...verdicts: Parameters<typeof totalsOf>[0][number]['verdict'][]) =>
  totalsOf(verdicts.map((verdict) => ({ verdict })));

describe('totals of a test', () => {
  it('count only labelled pictures as judged', () => {
    expect(of('right', 'wrong', 'right', 'unlabelled', 'failed')).toEqual({
      ...{ right: 2, wrong: 1, unlabelled: 1, failed: 1 },
      ...{ judged: 3, percent: 66 },
    });
  });

  it('have no percentage where nothing is judged, and 100 only where all are right', () => {
    expect(of().percent).toBeUndefined();
    expect(of('unlabelled', 'failed').percent).toBeUndefined();
    expect(of('right').percent).toBe(100);
    expect(of(...Array<'right'>(999).fill('right'), 'wrong').percent).toBe(99);
    expect(of('wrong').percent).toBe(0);
  });
});
