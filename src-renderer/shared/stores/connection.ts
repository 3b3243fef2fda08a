import { defineStore } from 'pinia';
import { computed, onScopeDispose, ref } from 'vue';
import { useMachine } from '../machine/machine.ts';
import type { ConnectionView } from '../machine/machine-view.ts';
import { useNow } from '../timing/use-now.ts';

/** The state of the connection to the machine, and when the next attempt is made. */
export const useConnection = defineStore('connection', () => {
  const machine = useMachine();
  const now = useNow(250);
  const view = ref<ConnectionView>({ kind: 'connecting', reason: '', nextTryAt: 0 });
  /** False until the first connection: before that, no values on the page can be old. */
  const wasConnected = ref(false);
  const wasLost = ref(false);
  /** When the connection was lost, ms; undefined while there is one, and before the first. */
  const lostAt = ref<number>();
  onScopeDispose(
    machine.connection.subscribe((next) => {
      view.value = next;
      if (next.kind === 'connected') {
        wasConnected.value = true;
        lostAt.value = undefined;
      } else if (wasConnected.value) {
        wasLost.value = true;
        lostAt.value ??= Date.now();
      }
    }),
  );
  return {
    view,
    wasConnected,
    wasLost,
    lostAt,
    isConnected: computed(() => view.value.kind === 'connected'),
    secondsToRetry: computed(() => Math.max(0, Math.ceil((view.value.nextTryAt - now.value) / 1000))),
    retryNow: () => machine.connection.retryNow(),
  };
});
