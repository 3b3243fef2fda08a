import { defineStore } from 'pinia';
import { onScopeDispose, ref, shallowRef } from 'vue';
import { callFailure } from '../../../shared/machine/rpc/call-failure.ts';
import type { HardwareView } from '../../../shared/machine/hardware-view.ts';
import { useMachine } from '../../../shared/machine/machine.ts';

/** The GPIO, PWM, SPI and I2C hardware of the machine's computer. Asked for when it is first wanted. */
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
      // After a reconnection, the server may have restarted and the hardware may have changed.
      if (isConnected && !wasConnected && isWanted) void refresh();
      wasConnected = isConnected;
    }),
  );

  return {
    /** The last answer; undefined before the first. */
    found,
    /** Why the last request failed; '' if it succeeded. `found` keeps the previous answer. */
    failure,
    isAsking,
    refresh,
    /** Asks for the hardware unless it has been asked for already. */
    want(): void {
      if (!isWanted) void refresh();
    },
  };
});
