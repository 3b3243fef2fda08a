import { ref, type Ref } from 'vue';
import { messageOf } from './machine/rpc/follow-stream.ts';

/** Something that is asked for and may fail, one at a time. */
export interface Doing {
  readonly isBusy: Readonly<Ref<boolean>>;
  /** A sentence; '' while nothing went wrong. */
  readonly failure: Ref<string>;
  /** Does it, unless something is being done already. @returns whether it worked */
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
