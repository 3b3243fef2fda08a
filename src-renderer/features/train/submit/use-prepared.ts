import { computed, onScopeDispose, ref, watch } from 'vue';
import type { PrepareJobResponse } from '../../../../proto/gen/core/hub/v1/training.ts';
import { useFleetCalls } from '../../../shared/machine/fleet.ts';
import type { JobDraft } from '../../../shared/machine/training/training-calls.ts';
import { usePolled } from '../../../shared/machine/use-polled.ts';

/** Wait after the last key. */
const pauseMs = 250;
/** Interval of asking again: somebody else may take the version, or label more pictures. */
const restMs = 5_000;

/** Asks the hub what a job would be, whenever its draft changes. */
export function usePrepared(draft: () => JobDraft | undefined) {
  const { training } = useFleetCalls();
  /** The draft as JSON; '' if there is none. */
  const key = computed(() => {
    const wanted = draft();
    return wanted === undefined ? '' : JSON.stringify(wanted);
  });
  const settled = ref(key.value);
  let timer: ReturnType<typeof setTimeout> | undefined;
  watch(key, (next) => {
    clearTimeout(timer);
    timer = setTimeout(() => (settled.value = next), pauseMs);
  });
  onScopeDispose(() => clearTimeout(timer));

  const question = computed(() => {
    const asked = settled.value;
    if (asked === '') return undefined;
    const wanted = JSON.parse(asked) as JobDraft;
    return {
      ask: async (signal: AbortSignal) => ({ key: asked, answer: await training.prepare(wanted, signal) }),
      restMs: () => restMs,
      keeps: true,
    };
  });
  const { view, refresh } = usePolled<{ readonly key: string; readonly answer: PrepareJobResponse }>(
    () => question.value,
  );
  return {
    /** The last answer, perhaps for an earlier draft. */
    prepared: computed(() => view.value.value?.answer),
    /** Whether the answer is for the current draft. */
    isFresh: computed(() => view.value.value?.key === key.value),
    /** Why the hub did not answer; '' if it did. */
    problem: computed(() => view.value.failure?.message ?? ''),
    refresh,
  };
}
