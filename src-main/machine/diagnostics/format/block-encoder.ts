import type { MetricDescription } from '../source.ts';
import { ByteWriter, zigzag } from './bytes.ts';
import { limits } from './limits.ts';
import { recordKinds } from './record-kinds.ts';

/** What one source said, in steps of its metrics; NaN where a value is missing. */
export interface SourceRow {
  /** As {@link BlockEncoder.define} gave it. */
  readonly id: number;
  readonly values: Float64Array;
}

/**
 * Writes the records of one block (README, "Format"). A block tells the names of its sources itself, so it can be read
 * without any other.
 */
export class BlockEncoder {
  readonly #out = new ByteWriter();
  /** The last known value of each metric, and the row before, by source. */
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

  /** Earliest and latest time of its samples, wall-clock milliseconds; the clock may have been set back meanwhile. */
  get range(): { readonly first: number; readonly last: number } {
    return { first: this.#first ?? 0, last: this.#last };
  }

  /** No further source can be described in this block. */
  get isFull(): boolean {
    return this.#sources.length >= limits.sources;
  }

  /** The records from a place on. A view: good until the next record. */
  since(offset: number): Uint8Array {
    return this.#out.since(offset);
  }

  /** Says that there is a source. Gives what {@link sample} calls it; numbers rise. */
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
   * @param rows by rising id; a source that missed its row is left out
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

/** A value in steps, as the format takes it; NaN for what it has no room for. */
export function inSteps(value: number | undefined, steps: number): number {
  if (value === undefined) return Number.NaN;
  const rounded = Math.round(value * steps);
  // Not -0, which is another number to Object.is.
  return Math.abs(rounded) <= limits.value ? rounded + 0 : Number.NaN;
}
