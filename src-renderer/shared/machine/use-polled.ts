import { onScopeDispose, shallowRef, watch, type Ref } from 'vue';
import { useFleetCalls } from './fleet.ts';
import { callFailure, type CallFailure } from './rpc/call-failure.ts';

export interface Polled<Item> {
  /** The last answer; undefined before the first. */
  readonly value: Item | undefined;
  /** Why the last call failed; undefined if it did not. */
  readonly failure: CallFailure | undefined;
  readonly isConnected: boolean;
}

/** A call to the hub, and how long its answer is valid, ms; undefined forever. */
export interface Question<Item> {
  readonly ask: (signal: AbortSignal) => Promise<Item>;
  readonly restMs: (answer: Item | undefined) => number | undefined;
  /** Keeps the answer to the previous question until this one is answered. */
  readonly keeps?: boolean;
}

/**
 * An answer of the hub that is kept up to date while the page is visible. Another question discards the previous answer
 * (unless it `keeps` it); nothing is asked while `question` returns undefined.
 */
export function usePolled<Item>(question: () => Question<Item> | undefined): {
  readonly view: Readonly<Ref<Polled<Item>>>;
  /** Asks at once. */
  readonly refresh: () => Promise<void>;
} {
  const { connection } = useFleetCalls();
  const view = shallowRef<Polled<Item>>({ value: undefined, failure: undefined, isConnected: false });
  let current: Question<Item> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asking: AbortController | undefined;

  function stop(): void {
    clearTimeout(timer);
    asking?.abort();
  }

  async function refresh(): Promise<void> {
    stop();
    const asked = current;
    if (asked === undefined || !view.value.isConnected || document.visibilityState === 'hidden') return;
    const own = new AbortController();
    asking = own;
    try {
      const value = await asked.ask(own.signal);
      if (own.signal.aborted) return;
      view.value = { ...view.value, value, failure: undefined };
    } catch (thrown) {
      if (own.signal.aborted) return;
      view.value = { ...view.value, failure: callFailure(thrown) };
    }
    const rest = asked.restMs(view.value.value);
    if (rest !== undefined) timer = setTimeout(() => void refresh(), rest);
  }

  const refreshSoon = (): void => void refresh();
  const unsubscribe = connection.subscribe(({ kind }) => {
    view.value = { ...view.value, isConnected: kind === 'connected' };
    refreshSoon();
  });
  watch(
    question,
    (next) => {
      current = next;
      if (next?.keeps !== true) view.value = { ...view.value, value: undefined, failure: undefined };
      refreshSoon();
    },
    { immediate: true },
  );
  document.addEventListener('visibilitychange', refreshSoon);
  onScopeDispose(() => {
    stop();
    unsubscribe();
    document.removeEventListener('visibilitychange', refreshSoon);
  });
  return { view, refresh };
}
