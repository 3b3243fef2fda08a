import type { Counter, Histogram as HistogramInstrument } from '@opentelemetry/api';
import {
  AggregationType,
  DataPointType,
  MeterProvider,
  MetricReader,
  type Histogram,
  type MetricData,
} from '@opentelemetry/sdk-metrics';
import type { Clock } from '../../../base/clock.ts';
import { StatusCode, type Status } from '../../../base/status.ts';
import type { ServerCall } from '../../../rpc/call.ts';
import type { CallListener, MachineFigures } from '../telemetry-options.ts';
import { metricsText, type MethodFigures } from './metrics-text.ts';

const METHOD = 'rpc.method';
/** Upper bounds of the histogram, milliseconds: a call to a motor takes less than one, one to a camera tens. */
const BOUNDS_MS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 10_000];
/** Methods with separate metrics; the rest count as one. */
const MAX_METHODS = 500;

/** Reads metrics on demand only. */
class OnDemandReader extends MetricReader {
  protected override onShutdown(): Promise<void> {
    return Promise.resolve();
  }

  protected override onForceFlush(): Promise<void> {
    return Promise.resolve();
  }
}

/** Counts calls by method: how many, how many failed, how long they took. */
export class CallMetrics implements CallListener {
  readonly #clock: Clock;
  readonly #figures: () => MachineFigures;
  readonly #reader = new OnDemandReader({ cardinalitySelector: () => MAX_METHODS });
  readonly #known = new WeakSet<ServerCall>();
  readonly #failures: Counter;
  readonly #durations: HistogramInstrument;

  constructor(clock: Clock, figures: () => MachineFigures) {
    this.#clock = clock;
    this.#figures = figures;
    const durations = 'rpc.server.duration';
    const provider = new MeterProvider({
      readers: [this.#reader],
      views: [
        {
          instrumentName: durations,
          aggregation: { type: AggregationType.EXPLICIT_BUCKET_HISTOGRAM, options: { boundaries: BOUNDS_MS } },
        },
      ],
    });
    const meter = provider.getMeter('armature');
    this.#durations = meter.createHistogram(durations, { unit: 'ms' });
    this.#failures = meter.createCounter('rpc.server.failures');
  }

  begin(call: ServerCall): void {
    this.#known.add(call);
  }

  end(call: ServerCall, status: Status): void {
    // The names of refused calls are invented by callers.
    if (!this.#known.delete(call)) return;
    const attributes = { [METHOD]: call.method.path.slice(1) };
    this.#durations.record(this.#clock.monotonic() - call.startedAt, attributes);
    if (status.code !== StatusCode.OK) this.#failures.add(1, attributes);
  }

  /** All metrics so far, for people. */
  async text(): Promise<string> {
    const { resourceMetrics } = await this.#reader.collect();
    const all = resourceMetrics.scopeMetrics.flatMap(({ metrics }) => metrics);
    return metricsText(new Date(this.#clock.now()), this.#figures(), methodsOf(all));
  }
}

function methodsOf(all: readonly MetricData[]): readonly MethodFigures[] {
  const failures = new Map<unknown, number>();
  const found: MethodFigures[] = [];
  for (const { dataPointType, dataPoints } of all) {
    if (dataPointType === DataPointType.SUM) {
      for (const { attributes, value } of dataPoints) failures.set(attributes[METHOD], value);
    }
  }
  for (const { dataPointType, dataPoints } of all) {
    if (dataPointType !== DataPointType.HISTOGRAM) continue;
    for (const { attributes, value } of dataPoints) {
      const method = attributes[METHOD];
      found.push({
        method: typeof method === 'string' ? method : 'all others',
        calls: value.count,
        failures: failures.get(method) ?? 0,
        meanMs: value.count === 0 ? 0 : (value.sum ?? 0) / value.count,
        medianMs: quantileOf(value, 0.5),
        highMs: quantileOf(value, 0.99),
        longestMs: value.max ?? 0,
      });
    }
  }
  return found.sort((a, b) => b.calls - a.calls);
}

/** The bound below which this fraction of the calls was; the highest one if they are above all bounds. */
function quantileOf({ buckets, count, max = 0 }: Histogram, share: number): number {
  let seen = 0;
  for (const [index, number] of buckets.counts.entries()) {
    seen += number;
    if (seen >= count * share) return Math.min(buckets.boundaries[index] ?? max, max);
  }
  return max;
}
