/** Limits on the power that is sent to a motor, as shares of full power. */
export interface PowerLimits {
  /** Least power of a motor that runs, 0 to 1. */
  readonly min: number;
  /** Most power, 0.06 to 1, not below `min`. */
  readonly max: number;
}

/** Requests of at most this much power stop the motor. */
export const STOP_BELOW_POWER = 0.01;

/** Below this a controller's power is none: finer steps are for holding a goal. */
export const CONTROL_STOP_BELOW_POWER = 0.001;

/**
 * The power that a request leads to: 0, or its sign times a share within the
 * limits. The same for both signs.
 * @param stopBelow requests of at most this are 0
 */
export function limitPower(requested: number, limits: PowerLimits, stopBelow = STOP_BELOW_POWER): number {
  const share = Math.abs(requested);
  // Said this way round so that what is no number stops, too.
  if (!(share > stopBelow)) return 0;
  return Math.sign(requested) * Math.min(limits.max, Math.max(limits.min, share));
}
