import { defineStore } from 'pinia';
import { computed, onScopeDispose, ref } from 'vue';
import { useMachine } from '../machine/machine.ts';
import type { ConnectionView } from '../machine/machine-view.ts';
import { useNow } from '../timing/use-now.ts';

/** How the link to the machine is, and when it is tried again. */
export const useConnection = defineStore('connection', () => {
  const machine = useMachine();
  const now = useNow(250);
  const view = ref<ConnectionView>({ kind: 'connecting', reason: '', nextTryAt: 0 });
  /** False until the first connection: before that nothing on the page is old. */
  const wasConnected = ref(false);
  const wasLost = ref(false);
  onScopeDispose(
    machine.connection.subscribe((next) => {
      view.value = next;
      if (next.kind === 'connected') wasConnected.value = true;
      else wasLost.value = wasConnected.value;
    }),
  );
  return {
    view,
    wasConnected,
    wasLost,
    isConnected: computed(() => view.value.kind === 'connected'),
    secondsToRetry: computed(() => Math.max(0, Math.ceil((view.value.nextTryAt - now.value) / 1000))),
    retryNow: () => machine.connection.retryNow(),
  };
});
