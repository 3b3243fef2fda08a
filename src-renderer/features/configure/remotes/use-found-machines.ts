import { onScopeDispose, ref, shallowRef, watch } from 'vue';
import type { WatchMachinesResponse } from '../../../../proto/gen/core/network/v1/network.ts';
import { useMachine } from '../../../shared/machine/machine.ts';
import { followStream } from '../../../shared/machine/rpc/follow-stream.ts';
import { useIsShown } from '../../../shared/timing/use-is-shown.ts';

/** Machines on the machine's network. The machine searches for them while this is on the screen and wanted. */
export function useFoundMachines(isWanted: () => boolean) {
  const machine = useMachine();
  const isShown = useIsShown();
  const answer = shallowRef<WatchMachinesResponse>();
  const problem = ref('');
  let end: (() => void) | undefined;
  watch(
    () => isShown.value && isWanted(),
    (isLooking) => {
      end?.();
      end = undefined;
      if (!isLooking) return;
      end = followStream({
        connection: machine.connection,
        open: (signal) => machine.network.watchMachines(signal),
        onItem: (next) => (answer.value = next),
        onProblem: (message) => (problem.value = message),
      });
    },
    { immediate: true },
  );
  onScopeDispose(() => end?.());
  return {
    /** The newest answer; undefined before the first. */
    answer,
    /** Why the search fails; '' while it works. */
    problem,
  };
}
