import { onScopeDispose, shallowRef, watch, type ShallowRef } from 'vue';
import { followStream } from './rpc/follow-stream.ts';
import { useMachine } from './machine.ts';
import type { WatchReading, WatchRequest } from './poll.ts';

/** Shortest time between two renderings: nobody reads faster, and each one renders a card. */
const shownEveryMs = 100;

/** The last answer of a poll. */
export interface LiveReading extends WatchReading {
  /** When the value was true, in wall-clock ms of this page. */
  readonly at: number;
}

/** The last answer of each poll, by its id. */
export type LiveReadings = ReadonlyMap<string, LiveReading>;

/**
 * Follows polls of the machine over one stream while the component lives; no
 * requests, no stream. Readings that are not requested any more are dropped. The
 * others stay, with their age, while a new stream is opened.
 * @param onReading called with every answer; the map is updated ten times a second
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
