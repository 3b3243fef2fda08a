import type { SeriesBucket } from '../../../proto/gen/core/hub/v1/data.ts';

/** Readings per slice: the hub searches so many in a fraction of a second. */
const readingsPerSlice = 40_000;
const MAX_SLICES = 64;

/** A time divided into stretches of equal length. */
export interface Grid {
  /** Wall-clock ms, whole. */
  readonly from: number;
  readonly stretchMs: number;
  readonly count: number;
}

/** Some stretches of a grid: from `start` (inclusive) to `end` (exclusive). */
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
 * The slices to request one after the other, newest first, so that the part people look at first arrives soon.
 * @param readings approximate number of readings in the time
 */
export function slicesOf({ count }: Grid, readings: number): readonly Slice[] {
  const slices = Math.min(Math.max(1, Math.ceil(readings / readingsPerSlice)), MAX_SLICES, count);
  return Array.from({ length: slices }, (_, index) => ({
    start: Math.floor((count * index) / slices),
    end: Math.floor((count * (index + 1)) / slices),
  })).reverse();
}

/**
 * What is left of a slice after an answer that stopped before its end. The stretch in which it stopped is read again,
 * because only some of its readings were searched. Undefined if nothing is left, or everything would be read again.
 */
export function restOf(grid: Grid, { start, end }: Slice, searchedTo: number): Slice | undefined {
  const stoppedIn = Math.floor((searchedTo - grid.from) / grid.stretchMs);
  return stoppedIn > start && stoppedIn < end ? { start: stoppedIn, end } : undefined;
}

/** Minimum, maximum and mean of the readings of each stretch; NaN for a stretch without readings. */
export class SeriesValues {
  readonly min: Float64Array;
  readonly max: Float64Array;
  readonly average: Float64Array;

  constructor(count: number) {
    const none = (): Float64Array => new Float64Array(count).fill(Number.NaN);
    [this.min, this.max, this.average] = [none(), none(), none()];
  }

  /** Stores the answer for a slice, replacing the values of the stretches that the answer contains. */
  put({ start }: Slice, buckets: readonly SeriesBucket[]): void {
    for (const { index, min, max, average } of buckets) {
      const at = start + index;
      if (at >= this.min.length) continue;
      this.min[at] = min;
      this.max[at] = max;
      this.average[at] = average;
    }
  }

  /** Minimum and maximum of all; undefined if there are no values. */
  get extent(): { readonly min: number; readonly max: number } | undefined {
    let [min, max] = [Infinity, -Infinity];
    for (const value of this.min) if (value < min) min = value;
    for (const value of this.max) if (value > max) max = value;
    return min <= max ? { min, max } : undefined;
  }
}
