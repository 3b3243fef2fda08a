import { computed, onScopeDispose, ref, shallowRef } from 'vue';
import type { ModelChoice, TestedPicture, TestPictures } from '../../../shared/machine/data/inference-calls.ts';
import { useFleetCalls } from '../../../shared/machine/fleet.ts';
import { messageOf } from '../../../shared/machine/rpc/follow-stream.ts';
import { totalsOf } from './test-totals.ts';

/** Runs tests of a classifier, one at a time. The results stay when a test is stopped. */
export function useClassifierTest() {
  const { inference } = useFleetCalls();
  const pictures = shallowRef<readonly TestedPicture[]>([]);
  /** Number of pictures to test; undefined before the hub has given it. */
  const planned = ref<number>();
  const problem = ref('');
  const isRunning = ref(false);
  let running: AbortController | undefined;

  function stop(): void {
    running?.abort();
    running = undefined;
    isRunning.value = false;
  }

  async function start(model: ModelChoice, on: TestPictures): Promise<void> {
    stop();
    const own = (running = new AbortController());
    pictures.value = [];
    planned.value = undefined;
    problem.value = '';
    isRunning.value = true;
    try {
      for await (const step of inference.testClassifier(model, on, own.signal)) {
        if (own.signal.aborted) return;
        if ('pictures' in step) planned.value = step.pictures;
        else pictures.value = [...pictures.value, step];
      }
    } catch (thrown) {
      if (!own.signal.aborted) problem.value = messageOf(thrown);
    } finally {
      if (running === own) stop();
    }
  }

  onScopeDispose(stop);
  return { pictures, planned, problem, isRunning, totals: computed(() => totalsOf(pictures.value)), start, stop };
}
