import { describe, expect, it } from 'vitest';
import { analogOf } from './analog-value.ts';

describe('an analog', () => {
  it('is in volts where the board gives the size of a step', () => {
    expect(analogOf({ value: 512, minRange: 0, maxRange: 3.3, stepSize: 3.3 / 1024 }).volts).toBeCloseTo(1.65, 3);
  });

  it('is a count where a step is one, or no size is given', () => {
    expect(analogOf({ value: 512, minRange: 0, maxRange: 1000, stepSize: 1 })).toEqual({
      raw: 512,
      volts: undefined,
      shown: 512,
    });
    expect(analogOf({ value: 7, minRange: 0, maxRange: 0, stepSize: 0 }).volts).toBeUndefined();
  });
});
