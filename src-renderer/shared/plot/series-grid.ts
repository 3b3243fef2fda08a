import type { SeriesBucket } from '../../../proto/gen/core/hub/v1/data.ts';

/** Readings that the hub looks through in a fraction of a second: so many are asked for at once. */
const readingsAtOnce = 40_000;
const mostSlices = 64;

/** Stretches of equal length that a time is cut into. */
export interface Grid {
  /** Wall-clock ms, whole. */
  readonly from: number;
  readonly stretchMs: number;
  readonly count: number;
}

/** Some stretches of a grid: from the first, before the second. */
export interface Slice {
  readonly start: number;
  readonly end: number;
}

/** Stretches of whole milliseconds that cover a time, about one for each pixel. */
export function gridOf(from: number, to: number, pixels: number): Grid {
  const lengthMs = Math.max(1, to - from);
  const stretchMs = Math.ceil(lengthMs / Math.max(1, pixels));
  return { from, stretchMs, count: Math.ceil(lengthMs / stretchMs) };
}

export function timeOfStretch({ from, stretchMs }: Grid, index: number): number {
  return from + index * stretchMs;
}

/**
 * What is asked for one after the other, the newest first, so that much is there soon and what is looked at first is.
 * @param readings that the time has, about
 */
export function slicesOf({ count }: Grid, readings: number): readonly Slice[] {
  const slices = Math.min(Math.max(1, Math.ceil(readings / readingsAtOnce)), mostSlices, count);
  return Array.from({ length: slices }, (_, index) => ({
    start: Math.floor((count * index) / slices),
    end: Math.floor((count * (index + 1)) / slices),
  })).reverse();
}

/**
 * What is left of a slice after an answer that does not go to its end. The stretch in which it stopped is read again, since
 * only some of its readings were looked at. Undefined where that would be all of it again.
 */
export function restOf(grid: Grid, { start, end }: Slice, searchedTo: number): Slice | undefined {
  const stoppedIn = Math.floor((searchedTo - grid.from) / grid.stretchMs);
  return stoppedIn > start && stoppedIn < end ? { start: stoppedIn, end } : undefined;
}

/** Least, greatest and mean of the readings of each stretch; NaN where it has none. */
export class SeriesValues {
  readonly min: Float64Array;
  readonly max: Float64Array;
  readonly average: Float64Array;

  constructor(count: number) {
    const none = (): Float64Array => new Float64Array(count).fill(Number.NaN);
    [this.min, this.max, this.average] = [none(), none(), none()];
  }

  /** Takes in the answer for a slice, in place of what was there of these stretches. */
  put({ start }: Slice, buckets: readonly SeriesBucket[]): void {
    for (const { index, min, max, average } of buckets) {
      const at = start + index;
      if (at >= this.min.length) continue;
      this.min[at] = min;
      this.max[at] = max;
      this.average[at] = average;
    }
  }

  /** Least and greatest of all; undefined where there is nothing. */
  get extent(): { readonly min: number; readonly max: number } | undefined {
    let [min, max] = [Infinity, -Infinity];
    for (const value of this.min) if (value < min) min = value;
    for (const value of this.max) if (value > max) max = value;
    return min <= max ? { min, max } : undefined;
  }
}
