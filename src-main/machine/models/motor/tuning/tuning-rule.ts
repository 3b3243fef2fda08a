import type { StepModel } from './step-fit.ts';

/** Gains as `control_parameters` has them: on an error of speed in ticks a second, in 255ths of full power. */
export interface TunedGains {
  readonly p: number;
  readonly i: number;
  readonly d: number;
}

/** Time from a speed to the power that answers it: half a period of control, and one to send it. */
const LOOP_DELAY_SEC = 0.015;
/** Below this the loop of 10 ms is no continuous one any more. */
const SHORTEST_CLOSED_LOOP_SEC = 0.1;
/** A speed is known no sooner than after some ticks, at this share of the speed at full power. */
const TELLING_TICKS = 4;
const SLOW_SHARE = 0.25;
/** Steps of power that the gains are in. */
const POWER_STEPS = 255;

/**
 * The default time constant of the controlled speed: twice the delay of motor and loop, which leaves a margin beyond the
 * rule's own choice of once the delay, and not shorter than some ticks of slow turning, before which nothing is known of
 * a speed. Seconds.
 */
export function closedLoopSecFor(model: StepModel, tick: number): number {
  const ticksPerSec = (SLOW_SHARE * speedAtFullPower(model)) / tick;
  return Math.max(SHORTEST_CLOSED_LOOP_SEC, 2 * (model.delaySec + LOOP_DELAY_SEC), TELLING_TICKS / ticksPerSec);
}

/**
 * Gains of a PI controller by the SIMC rule for a process of first order with delay (S. Skogestad, "Simple analytic rules
 * for model reduction and PID controller tuning", Journal of Process Control 13, 2003): `Kc = T / (k (tc + delay))`,
 * integral time `min(T, 4 (tc + delay))`. A process of first order needs no derivative.
 * @param tick revolutions in a tick
 * @param closedLoopSec tc, the time constant that the controlled speed is to have
 */
export function gainsFor(model: StepModel, tick: number, closedLoopSec: number): TunedGains {
  const { gain, timeConstantSec } = model;
  const lag = closedLoopSec + model.delaySec + LOOP_DELAY_SEC;
  const ticksPerStep = gain / tick / POWER_STEPS;
  const p = timeConstantSec / (ticksPerStep * lag);
  const integralSec = Math.min(timeConstantSec, 4 * lag);
  return { p: rounded(p), i: rounded(p / integralSec), d: 0 };
}

/** Revolutions a second at full power, friction and dead band taken off. */
export function speedAtFullPower({ gain, friction, deadBand }: StepModel): number {
  return gain * Math.max(0, 1 - friction - deadBand);
}

/** To four digits: more would be noise. */
function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
