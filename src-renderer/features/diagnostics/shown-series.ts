import type { Series } from '../../../proto/gen/core/diagnostics/v1/diagnostics.ts';
import type { DrawnValues } from '../../shared/plot/series-drawing.ts';

/** The values of one metric in the stretches of a plot; new samples are added at its end. */
export class ShownSeries implements DrawnValues {
  readonly min: Float64Array;
  readonly max: Float64Array;
  readonly average: Float64Array;
  readonly #counts: Uint32Array;
  unit = '';

  constructor(count: number) {
    const none = (): Float64Array => new Float64Array(count).fill(Number.NaN);
    [this.min, this.max, this.average] = [none(), none(), none()];
    this.#counts = new Uint32Array(count);
  }

  get extent(): { readonly min: number; readonly max: number } | undefined {
    let [min, max] = [Infinity, -Infinity];
    for (const value of this.min) if (value < min) min = value;
    for (const value of this.max) if (value > max) max = value;
    return min <= max ? { min, max } : undefined;
  }

  get latest(): number | undefined {
    return this.average.findLast((value) => !Number.isNaN(value));
  }

  /** Replaces the values with those that were read. @param samples how many samples a stretch has, roughly */
  put({ min, max, average, metric }: Series, samples: number): void {
    this.unit = metric?.unit ?? '';
    for (const [index, value] of average.slice(0, this.average.length).entries()) {
      this.min[index] = min[index] ?? value;
      this.max[index] = max[index] ?? value;
      this.average[index] = value;
      this.#counts[index] = Number.isNaN(value) ? 0 : samples;
    }
  }

  /** Fills what is missing here from another series with the same stretches. */
  fillFrom(other: ShownSeries | undefined): void {
    if (other === undefined) return;
    for (const [index, value] of other.average.entries()) {
      if (!Number.isNaN(this.average[index] ?? Number.NaN)) continue;
      this.average[index] = value;
      this.min[index] = other.min[index] ?? value;
      this.max[index] = other.max[index] ?? value;
      this.#counts[index] = other.#counts[index] ?? 0;
    }
  }

  /** Adds one sample to a stretch. */
  add(index: number, value: number): void {
    const count = this.#counts[index];
    if (count === undefined || Number.isNaN(value)) return;
    const before = this.average[index] ?? Number.NaN;
    this.#counts[index] = count + 1;
    const isFirst = Number.isNaN(before);
    this.average[index] = isFirst ? value : before + (value - before) / (count + 1);
    this.min[index] = isFirst ? value : Math.min(this.min[index] ?? value, value);
    this.max[index] = isFirst ? value : Math.max(this.max[index] ?? value, value);
  }

  /** Moves on by some stretches: drops the oldest and adds empty ones. */
  shift(by: number): void {
    for (const values of [this.min, this.max, this.average]) {
      values.copyWithin(0, by);
      values.fill(Number.NaN, Math.max(0, values.length - by));
    }
    this.#counts.copyWithin(0, by);
    this.#counts.fill(0, Math.max(0, this.#counts.length - by));
  }
}
