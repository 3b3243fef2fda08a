import { computed, ref, type ShallowRef } from 'vue';
import { messageOf } from '../../../shared/machine/rpc/follow-stream.ts';
import type { Machine } from '../../../shared/machine/machine.ts';
import type { ConfigDocument } from '../../../shared/machine/machine-view.ts';

/** Applies or discards a stored text that waits for its maintenance window. */
export function useWaitingFlow(machine: Machine, document: Readonly<ShallowRef<ConfigDocument | undefined>>) {
  const isEnding = ref(false);
  const failure = ref('');
  const waiting = computed(() => document.value?.result?.deferred);

  /** @param end gives the reason for a failure; undefined if it succeeded */
  async function endWait(end: (revision: string) => Promise<string | undefined>): Promise<void> {
    const revision = document.value?.revision;
    if (revision === undefined || isEnding.value) return;
    isEnding.value = true;
    failure.value = '';
    try {
      failure.value = (await end(revision)) ?? '';
    } catch (thrown) {
      // If the wait has ended by itself meanwhile, its outcome is shown instead of this error.
      if (waiting.value !== undefined) failure.value = messageOf(thrown);
    } finally {
      isEnding.value = false;
    }
  }

  return {
    waiting,
    isEndingWait: isEnding,
    /** Why the last decision could not be carried out. */
    waitFailure: failure,
    /** Applies it although maintenance is not allowed now. */
    applyWaiting: () =>
      endWait(async (revision) => {
        await machine.config.applyNow(revision);
        return undefined;
      }),
    /** Stores the running text again: then nothing waits any more. */
    discardWaiting: () =>
      endWait(async (revision) => {
        const runningText = waiting.value?.runningText;
        if (runningText === undefined) return undefined;
        const outcome = await machine.config.apply(runningText, revision, 0);
        return outcome.kind === 'failed' ? outcome.reason : undefined;
      }),
  };
}
