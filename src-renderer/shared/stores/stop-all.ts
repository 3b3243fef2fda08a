import { defineStore } from 'pinia';
import { computed, ref } from 'vue';
import { messageOf } from '../machine/rpc/follow-stream.ts';
import { useMachine } from '../machine/machine.ts';

/** The Stop button: stops everything that moves, whoever moved it. Each press sends the call again. */
export const useStopAll = defineStore('stop-all', () => {
  const machine = useMachine();
  const outcome = ref<'none' | 'sent' | 'stopped' | 'failed'>('none');
  const failure = ref('');
  /** How often it was pressed. A held button and the control switch release on each press. */
  const presses = ref(0);

  async function run(): Promise<void> {
    presses.value += 1;
    const own = presses.value;
    outcome.value = 'sent';
    try {
      await machine.stopAll();
      if (own === presses.value) outcome.value = 'stopped';
    } catch (thrown) {
      if (own !== presses.value) return;
      outcome.value = 'failed';
      failure.value = messageOf(thrown);
    }
  }

  return {
    outcome,
    failure,
    presses,
    run,
    isSending: computed(() => outcome.value === 'sent'),
  };
});
