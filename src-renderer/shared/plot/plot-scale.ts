export interface Scale {
  readonly min: number;
  readonly max: number;
  /** Distance of two lines of the grid. */
  readonly step: number;
}

const wantedSteps = 4;
/** A smaller number counts as 0: its power of ten cannot be computed. */
export const smallest = 1e-200;

/** A step of 1, 2 or 5 times a power of ten, at least `rough`. */
export function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5].find((each) => each * power >= rough * (1 - 1e-9)) ?? 10;
  return factor * power;
}

/**
 * A scale that contains `min` to `max` between round numbers, so that noise does
 * not move it. Equal values are in the middle.
 */
export function niceScale(min: number, max: number): Scale {
  if (!(min <= max) || !Number.isFinite(max - min)) return { min: -1, max: 1, step: 1 };
  const size = Math.max(Math.abs(min), Math.abs(max));
  // A difference in the last digits is rounding, not a signal.
  if (max - min <= Math.max(size * 1e-9, smallest)) {
    const step = size < smallest ? 1 : niceStep(size / 10);
    return { min: (Math.round(min / step) - 1) * step, max: (Math.round(max / step) + 1) * step, step };
  }
  const step = niceStep((max - min) / wantedSteps);
  return { min: Math.floor(min / step + 1e-9) * step, max: Math.ceil(max / step - 1e-9) * step, step };
}

/** The numbers of the grid lines, including `min` and `max`. */
export function ticksOf({ min, max, step }: Scale): number[] {
  const count = Math.round((max - min) / step);
  return Array.from({ length: count + 1 }, (_, index) => Number((min + index * step).toPrecision(12)));
}
