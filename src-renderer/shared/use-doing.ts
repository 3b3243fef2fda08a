import { ref, type Ref } from 'vue';
import { messageOf } from './machine/rpc/follow-stream.ts';

/** Runs one action at a time and keeps how it failed. */
export interface Doing {
  readonly isBusy: Readonly<Ref<boolean>>;
  /** Why the last action failed, as a sentence; '' if it did not. */
  readonly failure: Ref<string>;
  /** Runs the action, unless one is running. @returns whether it succeeded */
  run(work: () => Promise<void>): Promise<boolean>;
}

export function useDoing(): Doing {
  const isBusy = ref(false);
  const failure = ref('');
  return {
    isBusy,
    failure,
    async run(work) {
      if (isBusy.value) return false;
      isBusy.value = true;
      failure.value = '';
      try {
        await work();
        return true;
      } catch (thrown) {
        failure.value = messageOf(thrown);
        return false;
      } finally {
        isBusy.value = false;
      }
    },
  };
}
