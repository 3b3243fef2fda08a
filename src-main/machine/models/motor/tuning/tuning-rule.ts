import type { StepModel } from './step-fit.ts';

/** Gains as in `control_parameters`: for a speed error in ticks per second, in 255ths of full power. */
export interface TunedGains {
  readonly p: number;
  readonly i: number;
  readonly d: number;
}

/** Time from a speed to the power that responds to it: half a control period, plus one for sending. */
const LOOP_DELAY_SEC = 0.015;
/** Below this, the loop of 10 ms can no longer be treated as continuous. */
const SHORTEST_CLOSED_LOOP_SEC = 0.1;
/** A speed is known only after this many ticks, at this share of the full-power speed. */
const TELLING_TICKS = 4;
const SLOW_SHARE = 0.25;
/** Number of power steps that the gains are expressed in. */
const POWER_STEPS = 255;

/**
 * The default time constant of the controlled speed, in seconds: twice the delay of motor and loop, which leaves more
 * margin than the rule's own choice of once the delay; and at least a few ticks of slow turning, because a speed is
 * unknown before that.
 */
export function closedLoopSecFor(model: StepModel, tick: number): number {
  const ticksPerSec = (SLOW_SHARE * speedAtFullPower(model)) / tick;
  return Math.max(SHORTEST_CLOSED_LOOP_SEC, 2 * (model.delaySec + LOOP_DELAY_SEC), TELLING_TICKS / ticksPerSec);
}

/**
 * Gains of a PI controller by the SIMC rule for a first-order process with delay (S. Skogestad, "Simple analytic rules
 * for model reduction and PID controller tuning", Journal of Process Control 13, 2003): `Kc = T / (k (tc + delay))`,
 * integral time `min(T, 4 (tc + delay))`. A first-order process needs no derivative.
 * @param tick revolutions per tick
 * @param closedLoopSec tc, the wanted time constant of the controlled speed
 */
export function gainsFor(model: StepModel, tick: number, closedLoopSec: number): TunedGains {
  const { gain, timeConstantSec } = model;
  const lag = closedLoopSec + model.delaySec + LOOP_DELAY_SEC;
  const ticksPerStep = gain / tick / POWER_STEPS;
  const p = timeConstantSec / (ticksPerStep * lag);
  const integralSec = Math.min(timeConstantSec, 4 * lag);
  return { p: rounded(p), i: rounded(p / integralSec), d: 0 };
}

/** Revolutions per second at full power, after friction and dead band. */
export function speedAtFullPower({ gain, friction, deadBand }: StepModel): number {
  return gain * Math.max(0, 1 - friction - deadBand);
}

/** Rounds to four digits: more would be noise. */
function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
