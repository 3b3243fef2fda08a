import { computed } from 'vue';
import type { GetJobResponse } from '../../../../proto/gen/core/hub/v1/training.ts';
import { useFleetCalls } from '../../../shared/machine/fleet.ts';
import { usePolled } from '../../../shared/machine/use-polled.ts';
import { isFinished } from '../jobs/job-facts.ts';

/** Interval of asking about an unfinished job. A finished one does not change. */
const restMs = 1_000;

/** A job with its epochs, kept up to date until it is finished. */
export function useJob(id: () => string) {
  const { training } = useFleetCalls();
  const question = computed(() => {
    const wanted = id();
    if (wanted === '') return undefined;
    return {
      ask: (signal: AbortSignal) => training.get(wanted, signal),
      restMs: (answer: GetJobResponse | undefined) =>
        answer?.job !== undefined && isFinished(answer.job) ? undefined : restMs,
    };
  });
  return usePolled<GetJobResponse>(() => question.value);
}
