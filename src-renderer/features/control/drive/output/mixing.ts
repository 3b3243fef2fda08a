/** Powers of two wheels, -1 to 1. */
export interface WheelPowers {
  readonly left: number;
  readonly right: number;
}

/**
 * Mixes throttle and steering, each -1 to 1, positive forward and to the right. Where a wheel would have to turn faster
 * than at full power, both are slowed alike, so that the curve stays the one that was steered.
 */
export function mixWheels(throttle: number, steering: number): WheelPowers {
  const [left, right] = [throttle + steering, throttle - steering];
  const most = Math.max(1, Math.abs(left), Math.abs(right));
  return { left: left / most, right: right / most };
}
