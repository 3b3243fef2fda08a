import { computed, onScopeDispose, ref, watch } from 'vue';
import type { PrepareJobResponse } from '../../../../proto/gen/core/hub/v1/training.ts';
import { useFleetCalls } from '../../../shared/machine/fleet.ts';
import type { JobDraft } from '../../../shared/machine/training/training-calls.ts';
import { usePolled } from '../../../shared/machine/use-polled.ts';

/** After the last key. */
const pauseMs = 250;
/** Somebody else may take the version, or label more pictures. */
const restMs = 5_000;

/** What a job would be, asked again whenever its draft changes. */
export function usePrepared(draft: () => JobDraft | undefined) {
  const { training } = useFleetCalls();
  /** The draft as a text; '' where there is none. */
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
    /** The last answer, perhaps to an earlier draft. */
    prepared: computed(() => view.value.value?.answer),
    /** Whether it is about the draft as it is now. */
    isFresh: computed(() => view.value.value?.key === key.value),
    /** Why the hub does not say; '' where it does. */
    problem: computed(() => view.value.failure?.message ?? ''),
    refresh,
  };
}
