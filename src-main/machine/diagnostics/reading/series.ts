import { decodeBlock, type DecodedSource } from '../format/block-decoder.ts';
import { fullMetricName, type MetricDescription } from '../source.ts';
import type { TimeRange } from './stored-blocks.ts';

/**
 * Longest time between two samples of a counter from which a rate is computed, milliseconds: it is unknown what
 * happened in between, and the counter may have restarted.
 */
const LONGEST_STEP_MS = 10_000;

/** Converts the values of a counter to a rate per second; returns those of a gauge unchanged. */
export class RateOf {
  readonly metric: MetricDescription;
  readonly #factor: number;
  #time: number | undefined;
  #value = Number.NaN;

  constructor(metric: MetricDescription) {
    this.metric = metric;
    this.#factor = metric.kind === 'gauge' ? 1 : isTime(metric) ? 100_000 : 1_000;
  }

  /**
   * @param value in steps. Returns NaN where there is nothing to show: no value, or a counter without a previous one.
   */
  next(timeMs: number, value: number): number {
    const { kind, steps } = this.metric;
    if (kind === 'gauge') return value / steps;
    const [before, passed] = [this.#value, timeMs - (this.#time ?? Number.NaN)];
    if (Number.isNaN(value)) return Number.NaN;
    this.#time = timeMs;
    this.#value = value;
    if (!(passed > 0 && passed <= LONGEST_STEP_MS) || value < before) return Number.NaN;
    return ((value - before) * this.#factor) / passed / steps;
  }
}

/** Seconds of work per second are a ratio, shown in percent. 100 % are one core, or one call in progress. */
function isTime({ unit }: MetricDescription): boolean {
  return unit === 's';
}

/** Unit of what {@link RateOf} returns. */
export function shownUnit(metric: MetricDescription): string {
  if (metric.kind === 'gauge') return metric.unit;
  return isTime(metric) ? '%' : `${metric.unit}/s`;
}

/** The values of one metric over a time range, in intervals of equal length. NaN for an interval without a value. */
export interface Series {
  readonly metric: MetricDescription;
  readonly min: Float64Array;
  readonly max: Float64Array;
  readonly average: Float64Array;
  /** The newest value; NaN where there is none. */
  readonly last: number;
}

interface Gathered extends Series {
  last: number;
  readonly count: Uint32Array;
  rate: RateOf;
}

/** Collects metrics from blocks in order, for a time range in `count` intervals. */
export class SeriesGatherer {
  readonly #isWanted: (fullName: string) => boolean;
  readonly #range: TimeRange;
  readonly #count: number;
  readonly #found = new Map<string, Gathered>();

  constructor(isWanted: (fullName: string) => boolean, range: TimeRange, count: number) {
    this.#isWanted = isWanted;
    this.#range = range;
    this.#count = count;
  }

  /** By full names; without metrics that no block contains. */
  get series(): ReadonlyMap<string, Series> {
    return this.#found;
  }

  add(records: Uint8Array): void {
    // The wanted metrics of a source are determined once per block.
    const places = new Map<DecodedSource, readonly (readonly [index: number, to: Gathered])[]>();
    decodeBlock(records, {
      source: (source) => {
        const of = source.metrics.flatMap((metric, index) => {
          const name = fullMetricName(source.name, metric.name);
          return this.#isWanted(name) ? [[index, this.#gathered(name, metric)] as const] : [];
        });
        if (of.length > 0) places.set(source, of);
      },
      row: (timeMs, source, values) => {
        for (const [index, to] of places.get(source) ?? []) this.#take(to, timeMs, values[index] ?? Number.NaN);
      },
    });
  }

  #gathered(name: string, metric: MetricDescription): Gathered {
    let gathered = this.#found.get(name);
    if (gathered === undefined || shownUnit(gathered.metric) !== shownUnit(metric)) {
      const array = (): Float64Array => new Float64Array(this.#count).fill(Number.NaN);
      gathered = {
        metric,
        min: array(),
        max: array(),
        average: array(),
        last: Number.NaN,
        count: new Uint32Array(this.#count),
        rate: new RateOf(metric),
      };
      this.#found.set(name, gathered);
    }
    const { steps, kind } = gathered.rate.metric;
    // Another version of the program used different steps.
    if (steps !== metric.steps || kind !== metric.kind) gathered.rate = new RateOf(metric);
    return gathered;
  }

  #take(gathered: Gathered, timeMs: number, inSteps: number): void {
    const { min, max, average, count, rate } = gathered;
    const value = rate.next(timeMs, inSteps);
    const { from, to } = this.#range;
    const at = Math.floor(((timeMs - from) * this.#count) / (to - from));
    if (Number.isNaN(value) || at < 0 || at >= this.#count) return;
    gathered.last = value;
    const before = count[at] ?? 0;
    count[at] = before + 1;
    min[at] = before === 0 ? value : Math.min(min[at] ?? value, value);
    max[at] = before === 0 ? value : Math.max(max[at] ?? value, value);
    average[at] = before === 0 ? value : (average[at] ?? 0) + (value - (average[at] ?? 0)) / (before + 1);
  }
}
