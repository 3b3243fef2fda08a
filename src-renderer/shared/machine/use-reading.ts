import { onScopeDispose, shallowRef, watch, type ShallowRef } from 'vue';
import { followStream } from './follow-stream.ts';
import { useMachine } from './machine.ts';
import type { WatchReading, WatchRequest } from './machine-view.ts';

/** The last answer of a poll, with when it came in. */
export interface LiveReading extends WatchReading {
  /** Wall-clock time at which the value was true, ms. */
  readonly at: number;
}

/**
 * Follows one poll of the machine while the component lives. `undefined` as
 * request follows nothing; the last value is forgotten then.
 */
export function useReading(request: () => WatchRequest | undefined): Readonly<ShallowRef<LiveReading | undefined>> {
  const machine = useMachine();
  const reading = shallowRef<LiveReading>();
  let stop: (() => void) | undefined;
  const end = (): void => {
    stop?.();
    stop = undefined;
    reading.value = undefined;
  };
  const show = (item: WatchReading): void => {
    reading.value = { ...item, at: Date.now() - item.ageMs };
  };
  watch(
    () => JSON.stringify(request()),
    () => {
      end();
      const wanted = request();
      if (wanted === undefined) return;
      stop = followStream<WatchReading>({
        connection: machine.connection,
        open: (signal) => machine.watchReadings(wanted, signal),
        onItem: show,
        onProblem: (message) => {
          if (message !== '') show({ value: undefined, error: message, ageMs: 0 });
        },
      });
    },
    { immediate: true },
  );
  onScopeDispose(end);
  return reading;
}
