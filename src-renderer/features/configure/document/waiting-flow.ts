import { computed, ref, type ShallowRef } from 'vue';
import { messageOf } from '../../../shared/machine/rpc/follow-stream.ts';
import type { Machine } from '../../../shared/machine/machine.ts';
import type { ConfigDocument } from '../../../shared/machine/machine-view.ts';

/** What to do with a stored text that waits for its maintenance window. */
export function useWaitingFlow(machine: Machine, document: Readonly<ShallowRef<ConfigDocument | undefined>>) {
  const isEnding = ref(false);
  const failure = ref('');
  const waiting = computed(() => document.value?.result?.deferred);

  /** @param end undefined where it was done, else why it was not */
  async function endWait(end: (revision: string) => Promise<string | undefined>): Promise<void> {
    const revision = document.value?.revision;
    if (revision === undefined || isEnding.value) return;
    isEnding.value = true;
    failure.value = '';
    try {
      failure.value = (await end(revision)) ?? '';
    } catch (thrown) {
      // What ended by itself a moment before needs no word: what came of it is shown.
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
    /** Carries it out although maintenance is not allowed. */
    applyWaiting: () =>
      endWait(async (revision) => {
        await machine.config.applyNow(revision);
        return undefined;
      }),
    /** Goes back to the text in force: stored, it is what waits no more. */
    discardWaiting: () =>
      endWait(async (revision) => {
        const runningText = waiting.value?.runningText;
        if (runningText === undefined) return undefined;
        const outcome = await machine.config.apply(runningText, revision, 0);
        return outcome.kind === 'failed' ? outcome.reason : undefined;
      }),
  };
}
