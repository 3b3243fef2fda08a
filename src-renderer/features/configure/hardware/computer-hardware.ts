import { defineStore } from 'pinia';
import { onScopeDispose, ref, shallowRef } from 'vue';
import { callFailure } from '../../../shared/machine/rpc/call-failure.ts';
import type { HardwareView } from '../../../shared/machine/hardware-view.ts';
import { useMachine } from '../../../shared/machine/machine.ts';

/** What the computer of the machine has for wires. Asked for when somebody first wants to know. */
export const useComputerHardware = defineStore('computer-hardware', () => {
  const machine = useMachine();
  const found = shallowRef<HardwareView>();
  const failure = ref('');
  const isAsking = ref(false);
  let latest = 0;
  let isWanted = false;

  async function refresh(): Promise<void> {
    const own = ++latest;
    isWanted = true;
    isAsking.value = true;
    try {
      const next = await machine.hardware.discover();
      if (own !== latest) return;
      found.value = next;
      failure.value = '';
    } catch (thrown) {
      if (own !== latest) return;
      failure.value = callFailure(thrown).message;
    }
    isAsking.value = false;
  }

  let wasConnected = false;
  onScopeDispose(
    machine.connection.subscribe(({ kind }) => {
      const isConnected = kind === 'connected';
      // Behind a new link may be a server that was started again, on a computer that was changed meanwhile.
      if (isConnected && !wasConnected && isWanted) void refresh();
      wasConnected = isConnected;
    }),
  );

  return {
    /** As of the last answer; undefined before the first. */
    found,
    /** Why the last question has no answer; '' where it has. What was found before stays. */
    failure,
    isAsking,
    refresh,
    /** Asks where nobody has yet. */
    want(): void {
      if (!isWanted) void refresh();
    },
  };
});
