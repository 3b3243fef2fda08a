import { onScopeDispose, shallowRef, watch, type ShallowRef } from 'vue';
import { followStream } from './rpc/follow-stream.ts';
import { useMachine } from './machine.ts';
import type { WatchReading, WatchRequest } from './poll.ts';

/** How often values are shown at most: faster than this nobody reads, and each makes a card render. */
const shownEveryMs = 100;

/** The last answer of a poll, with when it came in. */
export interface LiveReading extends WatchReading {
  /** Wall-clock time of this page at which the value was true, ms. */
  readonly at: number;
}

/** The last answer of each poll, by its id. */
export type LiveReadings = ReadonlyMap<string, LiveReading>;

/**
 * Follows polls of the machine over one stream while the component lives. None
 * follows nothing. What is asked for no more is forgotten; the rest is kept
 * while a stream is opened anew, and its age tells the truth.
 * @param onReading gets every answer as it comes; the map is renewed ten times a second
 */
export function useReadings(
  requests: () => readonly WatchRequest[],
  onReading: (reading: LiveReading) => void = () => undefined,
): Readonly<ShallowRef<LiveReadings>> {
  const machine = useMachine();
  const shown = shallowRef<LiveReadings>(new Map());
  const fresh = new Map<string, LiveReading>();
  let showTimer: ReturnType<typeof setTimeout> | undefined;
  let shownAt = 0;
  let stop: (() => void) | undefined;

  function show(): void {
    clearTimeout(showTimer);
    showTimer = undefined;
    shownAt = performance.now();
    shown.value = new Map([...shown.value, ...fresh]);
    fresh.clear();
  }

  function take(reading: WatchReading): void {
    const live = { ...reading, at: Date.now() - reading.ageMs };
    fresh.set(live.id, live);
    onReading(live);
    if (showTimer !== undefined) return;
    const waitMs = shownAt + shownEveryMs - performance.now();
    if (waitMs <= 0) show();
    else showTimer = setTimeout(show, waitMs);
  }

  function end(): void {
    stop?.();
    stop = undefined;
    clearTimeout(showTimer);
    showTimer = undefined;
    fresh.clear();
  }

  watch(
    () => JSON.stringify(requests().map((each) => ({ ...each, method: each.method.name, request: [...each.request] }))),
    () => {
      end();
      const wanted = requests();
      const ids = new Set(wanted.map(({ id }) => id));
      if ([...shown.value.keys()].some((id) => !ids.has(id))) {
        shown.value = new Map([...shown.value].filter(([id]) => ids.has(id)));
      }
      if (wanted.length === 0) return;
      stop = followStream<WatchReading>({
        connection: machine.connection,
        open: (signal) => machine.watchReadings(wanted, signal),
        onItem: take,
        onProblem: (error) => {
          if (error === '') return;
          for (const { id, method } of wanted) {
            take({ id, method, value: undefined, error, machineAt: Date.now(), ageMs: 0, skipped: 0 });
          }
        },
      });
    },
    { immediate: true },
  );
  onScopeDispose(end);
  return shown;
}
