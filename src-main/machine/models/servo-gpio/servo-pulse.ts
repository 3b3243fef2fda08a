import {
  DEFAULT_MAX_ANGLE_DEG,
  DEFAULT_MIN_ANGLE_DEG,
  LONGEST_WIDTH_US,
  SHORTEST_WIDTH_US,
  type GpioServoAttributes,
} from './schema.ts';

/** How the pulse width encodes a servo's angle. */
export interface PulseRange {
  readonly minAngleDeg: number;
  readonly maxAngleDeg: number;
  readonly minWidthUs: number;
  readonly maxWidthUs: number;
  /** Steps of a PWM period; undefined: unlimited. */
  readonly resolution: number | undefined;
}

export function pulseRangeOf(attributes: GpioServoAttributes): PulseRange {
  return {
    minAngleDeg: attributes.min_angle_deg ?? DEFAULT_MIN_ANGLE_DEG,
    maxAngleDeg: attributes.max_angle_deg ?? DEFAULT_MAX_ANGLE_DEG,
    minWidthUs: attributes.min_width_us ?? SHORTEST_WIDTH_US,
    maxWidthUs: attributes.max_width_us ?? LONGEST_WIDTH_US,
    resolution: attributes.pwm_resolution,
  };
}

/** The angle within the range that is nearest to the requested one, degrees. */
export function clampAngle(range: PulseRange, angleDeg: number): number {
  return Math.min(range.maxAngleDeg, Math.max(range.minAngleDeg, angleDeg));
}

/** Duty, 0 to 1, for an angle within the range. Rounding to steps never exceeds the pulse widths. */
export function dutyAt(range: PulseRange, angleDeg: number, freqHz: number): number {
  const { minAngleDeg, maxAngleDeg, minWidthUs, maxWidthUs, resolution } = range;
  const part = (angleDeg - minAngleDeg) / (maxAngleDeg - minAngleDeg);
  const perUs = freqHz / 1_000_000;
  const duty = (minWidthUs + part * (maxWidthUs - minWidthUs)) * perUs;
  if (resolution === undefined) return duty;
  const fewest = Math.ceil(minWidthUs * perUs * resolution);
  const most = Math.floor(maxWidthUs * perUs * resolution);
  return Math.min(most, Math.max(fewest, Math.round(duty * resolution))) / resolution;
}

/** Angle in degrees for a duty, within the range. */
export function angleAt(range: PulseRange, duty: number, freqHz: number): number {
  const { minAngleDeg, maxAngleDeg, minWidthUs, maxWidthUs } = range;
  const widthUs = (duty / freqHz) * 1_000_000;
  const part = (widthUs - minWidthUs) / (maxWidthUs - minWidthUs);
  return clampAngle(range, minAngleDeg + part * (maxAngleDeg - minAngleDeg));
}
