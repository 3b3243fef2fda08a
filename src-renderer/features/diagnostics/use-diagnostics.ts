import { computed, onScopeDispose, ref, shallowRef, watch, type Ref } from 'vue';
import {
  DescribeResponse_State,
  type DescribeResponse,
  type WatchResponse,
} from '../../../proto/gen/core/diagnostics/v1/diagnostics.ts';
import type { DiagnosticsCalls, Machine } from '../../shared/machine/machine.ts';
import { followStream, messageOf } from '../../shared/machine/rpc/follow-stream.ts';
import type { Grid } from '../../shared/plot/series-grid.ts';
import { defaultMetrics } from './metric-words.ts';
import { gridFor, ranges, type Shown } from './range.ts';
import { ShownSeries } from './shown-series.ts';

/** After so many samples everything is read once more, to get those that were recorded before the stream began. */
const samplesBeforeReading = 2;

/** The state of the diagnostics screen. Numbers change in place: `version` changes when they do. */
export interface DiagnosticsView {
  readonly description: Readonly<Ref<DescribeResponse | undefined>>;
  readonly metrics: Readonly<Ref<readonly string[]>>;
  readonly grid: Readonly<Ref<Grid | undefined>>;
  readonly series: Readonly<Ref<ReadonlyMap<string, ShownSeries>>>;
  readonly version: Readonly<Ref<number>>;
  /** True while new samples arrive by themselves. */
  readonly isLive: Readonly<Ref<boolean>>;
  readonly isReading: Readonly<Ref<boolean>>;
  /** Sentences for a person; '' if all is well. */
  readonly problem: Readonly<Ref<string>>;
  readonly unreadable: Readonly<Ref<readonly string[]>>;
  again(): void;
}

/** Reads what a machine recorded in the shown time, and follows it while the time ends now. */
export function useDiagnostics(machine: Machine, shown: Readonly<Ref<Shown>>): DiagnosticsView {
  const calls: DiagnosticsCalls = machine.diagnostics;
  const description = shallowRef<DescribeResponse>();
  const grid = shallowRef<Grid>();
  const series = shallowRef<ReadonlyMap<string, ShownSeries>>(new Map());
  const version = ref(0);
  const isReading = ref(true);
  const isFollowing = ref(false);
  const problem = ref('');
  const unreadable = shallowRef<readonly string[]>([]);
  const metrics = computed(
    () => shown.value.metrics ?? defaultMetrics(description.value?.metrics.map(({ name }) => name) ?? []),
  );
  let reading = new AbortController();
  let stopFollowing = (): void => undefined;

  /** Asks which metrics there are, then reads the chosen ones. */
  async function begin(): Promise<void> {
    reading.abort();
    stopFollowing();
    const own = (reading = new AbortController());
    isReading.value = true;
    isFollowing.value = false;
    problem.value = '';
    try {
      const answer = await calls.describe(undefined, own.signal);
      const now = answer.now?.getTime() ?? Date.now();
      const since = shown.value.window?.from ?? now - ranges[shown.value.range];
      // The recording may have metrics that the machine no longer has.
      description.value = await calls.describe(since, own.signal);
      grid.value = gridFor(shown.value, now);
      series.value = new Map();
      await read(own);
      if (shown.value.window === undefined && answer.state !== DescribeResponse_State.OFF) follow(own);
    } catch (thrown) {
      if (!own.signal.aborted) problem.value = messageOf(thrown);
    } finally {
      if (reading === own) isReading.value = false;
    }
  }

  async function read({ signal }: AbortController): Promise<void> {
    const wanted = metrics.value;
    const at = grid.value;
    if (at === undefined || wanted.length === 0) return;
    const range = { from: at.from, to: at.from + at.count * at.stretchMs };
    const answer = await calls.query(wanted, range, at.count, signal);
    signal.throwIfAborted();
    const found = new Map(wanted.map((name) => [name, new ShownSeries(at.count)]));
    for (const one of answer.series) found.get(one.metric?.name ?? '')?.put(one, at.stretchMs / 1_000);
    // Samples may have moved the grid on meanwhile.
    const passed = Math.round(((grid.value?.from ?? at.from) - at.from) / at.stretchMs);
    if (passed > 0) for (const one of found.values()) one.shift(passed);
    // Keeps the samples that came while the answer was on its way.
    for (const [name, one] of found) one.fillFrom(series.value.get(name));
    series.value = found;
    unreadable.value = answer.unreadable;
    version.value++;
  }

  function follow(own: AbortController): void {
    const wanted = metrics.value;
    let samples = 0;
    stopFollowing = followStream<WatchResponse>({
      connection: machine.connection,
      open: (signal) => {
        samples = 0;
        return calls.watch(wanted, signal);
      },
      onItem: (sample) => {
        isFollowing.value = true;
        take(sample, wanted);
        if (++samples === samplesBeforeReading) void read(own).catch(() => undefined); // the next opening reads again
      },
      onProblem: (message) => {
        if (message !== '') isFollowing.value = false;
        problem.value = message;
      },
    });
  }

  function take({ time, values }: WatchResponse, wanted: readonly string[]): void {
    const before = grid.value;
    if (before === undefined || time === undefined) return;
    let index = Math.floor((time.getTime() - before.from) / before.stretchMs);
    const passed = index - before.count + 1;
    if (passed > 0) {
      grid.value = { ...before, from: before.from + passed * before.stretchMs };
      for (const one of series.value.values()) one.shift(passed);
      index -= passed;
    }
    wanted.forEach((name, at) => series.value.get(name)?.add(index, values[at] ?? Number.NaN));
    version.value++;
  }

  const wanted = computed(() => JSON.stringify(shown.value));
  const unsubscribe = machine.connection.subscribe(({ kind }) => {
    if (kind !== 'connected') isFollowing.value = false;
    else if (problem.value !== '' || description.value === undefined) void begin();
  });
  watch(wanted, () => void begin());
  onScopeDispose(() => {
    unsubscribe();
    reading.abort();
    stopFollowing();
  });
  return {
    description,
    metrics,
    grid,
    series,
    version,
    isLive: computed(() => isFollowing.value),
    isReading,
    problem,
    unreadable,
    again: () => void begin(),
  };
}
