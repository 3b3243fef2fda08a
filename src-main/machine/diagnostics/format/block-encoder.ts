import type { MetricDescription } from '../source.ts';
import { ByteWriter, zigzag } from './bytes.ts';
import { limits } from './limits.ts';
import { recordKinds } from './record-kinds.ts';

/** Values of one source, in steps of its metrics; NaN where a value is missing. */
export interface SourceRow {
  /** The id that {@link BlockEncoder.define} returned. */
  readonly id: number;
  readonly values: Float64Array;
}

/**
 * Writes the records of one block (README, "Format"). A block contains the names of its sources, so it can be read
 * without any other.
 */
export class BlockEncoder {
  readonly #out = new ByteWriter();
  /** The last known value of each metric, and the previous row, by source. */
  readonly #sources: ({ readonly known: Float64Array; readonly before: Float64Array } | undefined)[] = [];
  #time = 0;
  #first: number | undefined;
  #last = 0;
  #samples = 0;

  get length(): number {
    return this.#out.length;
  }

  get samples(): number {
    return this.#samples;
  }

  /** Earliest and latest time of its samples, wall-clock milliseconds; the clock may have been set back in between. */
  get range(): { readonly first: number; readonly last: number } {
    return { first: this.#first ?? 0, last: this.#last };
  }

  /** This block has no room for another source. */
  get isFull(): boolean {
    return this.#sources.length >= limits.sources;
  }

  /** The records from a position on. A view: valid until the next record. */
  since(offset: number): Uint8Array {
    return this.#out.since(offset);
  }

  /** Adds a source. Returns its id for {@link sample}; ids increase. */
  define(name: string, metrics: readonly MetricDescription[]): number {
    const id = this.#sources.length;
    this.#sources.push({
      known: new Float64Array(metrics.length),
      before: new Float64Array(metrics.length).fill(Number.NaN),
    });
    this.#out.varint(recordKinds.source);
    this.#out.text(name);
    this.#out.varint(metrics.length);
    for (const metric of metrics) {
      this.#out.text(metric.name);
      this.#out.text(metric.unit);
      this.#out.varint(metric.kind === 'counter' ? 1 : 0);
      this.#out.varint(metric.steps);
    }
    return id;
  }

  /**
   * @param timeMs wall clock, whole
   * @param rows by increasing id, without sources that missed their row
   */
  sample(timeMs: number, rows: readonly SourceRow[]): void {
    const out = this.#out;
    out.varint(recordKinds.sample);
    out.varint(zigzag(timeMs - this.#time));
    this.#time = timeMs;
    this.#first = Math.min(this.#first ?? timeMs, timeMs);
    this.#last = Math.max(this.#last, timeMs);
    out.varint(rows.length);
    let next = 0;
    for (const { id, values } of rows) {
      const source = this.#sources[id];
      if (source === undefined) throw new RangeError(`there is no source ${id}`);
      const isSame = values.every((value, index) => Object.is(value, source.before[index]));
      out.varint((id - next) * 2 + (isSame ? 0 : 1));
      next = id + 1;
      if (isSame) continue;
      for (const [index, value] of values.entries()) {
        if (Number.isNaN(value)) {
          out.varint(0);
          continue;
        }
        out.varint(zigzag(value - (source.known[index] ?? 0)) + 1);
        source.known[index] = value;
      }
      source.before.set(values);
    }
    this.#samples++;
  }
}

/** A value in steps, as the format stores it; NaN if it is out of range. */
export function inSteps(value: number | undefined, steps: number): number {
  if (value === undefined) return Number.NaN;
  const rounded = Math.round(value * steps);
  // Not -0, which Object.is treats as a different number.
  return Math.abs(rounded) <= limits.value ? rounded + 0 : Number.NaN;
}
