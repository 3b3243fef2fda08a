/** Arguments of the command `tune` of a gpio motor with an encoder: inclusive bounds, and defaults. */
export const tuneLimits = {
  /** Power of the step, share of full power. Absent: half, or more where the motor needs that to turn. */
  power_pct: { min: 0.05, max: 1, default: 0.5 },
  /** Time of the step in each direction, seconds. */
  duration_sec: { min: 0.3, max: 10, default: 1.5 },
  /** How far the shaft may turn from where it is, either way. */
  max_revolutions: { min: 0.05, max: 1_000, default: 10 },
  /** Time constant that the controlled speed is to have, seconds. Absent: derived from the measurement. */
  closed_loop_sec: { min: 0.02, max: 10, default: 0 },
} as const;
