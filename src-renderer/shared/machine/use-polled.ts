import { onScopeDispose, shallowRef, watch, type Ref } from 'vue';
import { useFleetCalls } from './fleet.ts';
import { callFailure, type CallFailure } from './rpc/call-failure.ts';

export interface Polled<Item> {
  /** The last answer; undefined before the first. */
  readonly value: Item | undefined;
  /** Why the last question was not answered; undefined where it was. */
  readonly failure: CallFailure | undefined;
  readonly isConnected: boolean;
}

/** A question to the hub, and how long its answer is good for, ms; undefined for good. */
export interface Question<Item> {
  readonly ask: (signal: AbortSignal) => Promise<Item>;
  readonly restMs: (answer: Item | undefined) => number | undefined;
  /** The answer to the question before stands until there is one to this. */
  readonly keeps?: boolean;
}

/**
 * An answer of the hub that is kept fresh while the page is seen. Another question forgets the answer to the one before;
 * nothing is asked while `question` gives undefined.
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
