import { decodeBlock, type DecodedSource } from '../format/block-decoder.ts';
import { fullMetricName, type MetricDescription } from '../source.ts';
import type { TimeRange } from './stored-blocks.ts';

/**
 * Longest time between two samples of a counter that still makes a rate, milliseconds: what was between is not known, and
 * it may have started afresh.
 */
const LONGEST_STEP_MS = 10_000;

/** Makes of what a metric counted how fast it rose, a second; gives what a gauge says as it is. */
export class RateOf {
  readonly metric: MetricDescription;
  readonly #factor: number;
  #time: number | undefined;
  #value = Number.NaN;

  constructor(metric: MetricDescription) {
    this.metric = metric;
    this.#factor = metric.kind === 'gauge' ? 1 : isTime(metric) ? 100_000 : 1_000;
  }

  /** @param value in steps. NaN where there is no value to show: none was said, or a counter has none before it. */
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

/** Seconds of work in a second: a share, shown in percent. 100 % are one core, or one call under way. */
function isTime({ unit }: MetricDescription): boolean {
  return unit === 's';
}

/** Unit of what {@link RateOf} gives. */
export function shownUnit(metric: MetricDescription): string {
  if (metric.kind === 'gauge') return metric.unit;
  return isTime(metric) ? '%' : `${metric.unit}/s`;
}

/** The values of one metric over a time, in stretches of the same length. NaN where a stretch has none. */
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

/** Gathers metrics, for a time in `count` stretches, from blocks in order. */
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

  /** By full names; without those that no block has. */
  get series(): ReadonlyMap<string, Series> {
    return this.#found;
  }

  add(records: Uint8Array): void {
    // Which of a source's metrics are wanted is found once a block.
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
    // Another version of the program counted in other steps.
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
