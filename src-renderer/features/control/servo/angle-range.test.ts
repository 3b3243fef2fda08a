import { describe, expect, it } from 'vitest';
import { angleRangeOf } from './angle-range.ts';

describe('the angles of a servo', () => {
  it('are those of its configuration in whole degrees, else 0 to 180', () => {
    expect(angleRangeOf({})).toEqual({ min: 0, max: 180 });
    expect(angleRangeOf({ min_angle_deg: 20.5, max_angle_deg: 270.5 })).toEqual({ min: 21, max: 270 });
    expect(angleRangeOf({ min_angle_deg: 'x', max_angle_deg: -1 })).toEqual({ min: 0, max: 180 });
    expect(angleRangeOf({ min_angle_deg: 200 })).toEqual({ min: 0, max: 180 });
  });
});
