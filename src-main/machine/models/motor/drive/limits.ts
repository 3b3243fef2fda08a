/** Limits of the power that is sent to a motor, as shares of full power. */
export interface PowerLimits {
  /** Lowest power of a running motor, 0 to 1. */
  readonly min: number;
  /** Highest power, 0.06 to 1, not below `min`. */
  readonly max: number;
}

/** Requests of at most this much power stop the motor. */
export const STOP_BELOW_POWER = 0.01;

/** A controller's power up to this is treated as none; finer steps are needed to hold a goal. */
export const CONTROL_STOP_BELOW_POWER = 0.001;

/**
 * The power that results from a request: 0, or a share within the limits with the request's sign. Both signs are
 * treated alike.
 * @param stopBelow requests up to this become 0
 */
export function limitPower(requested: number, limits: PowerLimits, stopBelow = STOP_BELOW_POWER): number {
  const share = Math.abs(requested);
  // Written this way so that NaN also stops.
  if (!(share > stopBelow)) return 0;
  return Math.sign(requested) * Math.min(limits.max, Math.max(limits.min, share));
}
