import { DEFAULT_MAX_ANGLE_DEG, DEFAULT_MIN_ANGLE_DEG } from '../../../../src-main/machine/models/servo-gpio/schema.ts';

export interface AngleRange {
  readonly min: number;
  readonly max: number;
}

/** The whole degrees that a servo can move to: from its configuration, else the defaults. */
export function angleRangeOf(attributes: Readonly<Record<string, unknown>>): AngleRange {
  const { min_angle_deg: least, max_angle_deg: most } = attributes;
  const min = typeof least === 'number' && least >= 0 ? Math.ceil(least) : DEFAULT_MIN_ANGLE_DEG;
  const max = typeof most === 'number' && most > 0 ? Math.floor(most) : DEFAULT_MAX_ANGLE_DEG;
  return max > min ? { min, max } : { min: DEFAULT_MIN_ANGLE_DEG, max: DEFAULT_MAX_ANGLE_DEG };
}
