import { onAbort } from '../../base/async/abort.ts';
import { AsyncQueue } from '../../base/async/async-queue.ts';
import type { Clock } from '../../base/clock.ts';
import { ArmatureError } from '../../base/errors.ts';
import type { ServiceHandlers } from '../../rpc/service.ts';
import {
  DescribeResponse_State,
  type CollectBundleResponse,
  type DiagnosticsServiceDefinition,
  type Metric,
  type WatchResponse,
} from '../../../proto/gen/core/diagnostics/v1/diagnostics.ts';
import type { Diagnostics, RecordingState } from '../diagnostics/diagnostics.ts';
import { RateOf, shownUnit } from '../diagnostics/reading/series.ts';
import type { TimeRange } from '../diagnostics/reading/stored-blocks.ts';
import type { Sample } from '../diagnostics/recording/recorder.ts';
import { fullMetricName, type MetricDescription } from '../diagnostics/source.ts';

/** Most metrics in one request. */
const MAX_METRICS = 64;
const USUAL_STRETCHES = 600;
/** Most values of all metrics of a request together: an answer has three numbers for each. */
const MAX_VALUES = 60_000;
/** Samples that may wait for a reader; a slower reader misses the oldest. */
const LARGEST_BACKLOG = 10;
/** Time range of a support bundle. */
const USUAL_BUNDLE_S = 24 * 60 * 60;

const states = {
  off: DescribeResponse_State.OFF,
  writing: DescribeResponse_State.RECORDING,
  stopped: DescribeResponse_State.STOPPED,
} as const satisfies Record<RecordingState['kind'], DescribeResponse_State>;

function toWireMetric(name: string, source: string, metric: MetricDescription): Metric {
  return { name, unit: shownUnit(metric), source };
}

function checkMetrics(metrics: readonly string[]): void {
  if (metrics.length <= MAX_METRICS) return;
  throw new ArmatureError(
    'call.bad_argument',
    `${metrics.length} metrics are asked for; ${MAX_METRICS} are the most: ask in parts.`,
  );
}

function rangeOf(start: Date | undefined, end: Date | undefined): TimeRange {
  const [from, to] = [start?.getTime() ?? Number.NaN, end?.getTime() ?? Number.NaN];
  if (from < to) return { from, to };
  throw new ArmatureError('call.bad_argument', 'start and end have to be set, and start has to be before end.');
}

/**
 * Makes a support bundle.
 * @param since wall-clock milliseconds: start of log and records
 */
export type CollectBundle = (since: number, signal: AbortSignal) => AsyncIterable<Uint8Array>;

/**
 * core.diagnostics.v1.DiagnosticsService, from the machine's own records.
 * @param collect called for one bundle at a time
 */
export function diagnosticsService(
  diagnostics: Diagnostics,
  clock: Clock,
  collect: CollectBundle,
): ServiceHandlers<typeof DiagnosticsServiceDefinition> {
  let isCollecting = false;
  return {
    async describe({ start, end }, call) {
      const now = clock.now();
      const to = end?.getTime() ?? now;
      const range = start === undefined ? undefined : { from: start.getTime(), to };
      const { found, unreadable } = await diagnostics.metrics(range, call.signal);
      const { state } = diagnostics;
      return {
        state: states[state.kind],
        reason: state.kind === 'stopped' ? state.reason : '',
        stoppedAt: state.kind === 'stopped' ? new Date(state.sinceMs) : undefined,
        metrics: [...found.values()]
          .map((metric) => toWireMetric(metric.fullName, metric.source, metric))
          .sort((a, b) => (a.name < b.name ? -1 : 1)),
        unreadable: [...unreadable],
        now: new Date(now),
      };
    },

    async query({ metrics, start, end, stretches }, call) {
      checkMetrics(metrics);
      const count = stretches === 0 ? USUAL_STRETCHES : stretches;
      if (count * metrics.length > MAX_VALUES) {
        throw new ArmatureError(
          'call.bad_argument',
          `${metrics.length} metrics in ${count} stretches are more than ${MAX_VALUES} values: ask for fewer.`,
        );
      }
      const { found, unreadable } = await diagnostics.series(metrics, rangeOf(start, end), count, call.signal);
      return {
        series: metrics.flatMap((name) => {
          const series = found.get(name);
          if (series === undefined) return [];
          const metric = toWireMetric(name, '', series.metric);
          return { metric, min: [...series.min], max: [...series.max], average: [...series.average] };
        }),
        unreadable: [...unreadable],
      };
    },

    async *watch({ metrics }, call): AsyncGenerator<WatchResponse> {
      checkMetrics(metrics);
      const rates = new Map<string, RateOf>();
      const queue = new AsyncQueue<WatchResponse>();
      const forgetListener = diagnostics.onSample((sample) => {
        const values = valuesOf(sample, metrics, rates);
        if (queue.size < LARGEST_BACKLOG) queue.push({ time: new Date(sample.timeMs), values });
      });
      const unsubscribe = onAbort(call.signal, () => queue.end());
      try {
        yield* queue;
      } finally {
        unsubscribe();
        forgetListener();
      }
    },

    async *collectBundle({ backSeconds }, call): AsyncGenerator<CollectBundleResponse> {
      // A bundle holds the log in memory for a moment: two would hold it twice.
      if (isCollecting) {
        throw new ArmatureError('call.overloaded', 'A support bundle is being made: ask again when it is done.');
      }
      isCollecting = true;
      try {
        const since = clock.now() - (backSeconds === 0 ? USUAL_BUNDLE_S : backSeconds) * 1_000;
        for await (const data of collect(since, call.signal)) yield { data };
      } finally {
        isCollecting = false;
      }
    },
  };
}

/** The watched values of a sample; `rates` is state between samples. */
function valuesOf(sample: Sample, metrics: readonly string[], rates: Map<string, RateOf>): number[] {
  const values = new Map<string, number>();
  for (const { source, values: inSteps } of sample.rows) {
    // Most sources are not watched: the names of their metrics are not built.
    if (!metrics.some((name) => name.startsWith(source.name))) continue;
    for (const [index, metric] of source.metrics.entries()) {
      const name = fullMetricName(source.name, metric.name);
      if (!metrics.includes(name)) continue;
      let rate = rates.get(name);
      if (rate?.metric.steps !== metric.steps || rate.metric.kind !== metric.kind) {
        rates.set(name, (rate = new RateOf(metric)));
      }
      values.set(name, rate.next(sample.timeMs, inSteps[index] ?? Number.NaN));
    }
  }
  return metrics.map((name) => values.get(name) ?? Number.NaN);
}
