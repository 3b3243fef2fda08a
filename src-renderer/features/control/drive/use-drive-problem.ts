import { computed, ref, type ComputedRef } from 'vue';
import { Resource_State } from '../../../../proto/gen/core/status/v1/status.ts';
import { useConnection } from '../../../shared/stores/connection.ts';
import { useDraftChanges } from '../../../shared/stores/draft-changes.ts';
import { useMachineStatus } from '../../../shared/stores/machine-status.ts';
import { useControlSwitch } from '../control-switch.ts';
import type { DriveChoices } from './choices/drive-choices.ts';
import { targetProblem, type TargetProblem, type TargetState } from './choices/drive-targets.ts';
import type { Capture } from './use-capture.ts';

/** Why this page may not drive now. */
export type DriveProblem = TargetProblem | { readonly kind: 'off' | 'link' | 'unfocused' | Capture['kind'] };

/** What forbids to drive, the first thing to mend first; undefined if nothing does. */
export function useDriveProblem(choices: () => DriveChoices, capturing: () => Capture | undefined) {
  const control = useControlSwitch();
  const connection = useConnection();
  const status = useMachineStatus();
  const draft = useDraftChanges();
  const isFocused = ref(true);
  const states = computed(
    () =>
      new Map(
        status.resources.map(({ name, state }): [string, TargetState] => {
          if (state !== Resource_State.READY) return [name, 'notReady'];
          return [name, draft.has(name) ? 'changed' : 'ready'];
        }),
      ),
  );
  const problem: ComputedRef<DriveProblem | undefined> = computed(() => {
    const capture = capturing();
    if (capture !== undefined) return { kind: capture.kind };
    if (!connection.isConnected) return { kind: 'link' };
    if (!control.isOn) return { kind: 'off' };
    const target = targetProblem(choices(), (name) => states.value.get(name));
    if (target !== undefined) return target;
    return isFocused.value ? undefined : { kind: 'unfocused' };
  });
  return {
    problem,
    /** Looks whether a person can see this page, and whether keys and gamepad belong to it. */
    lookAtFocus: (): void => void (isFocused.value = document.visibilityState === 'visible' && document.hasFocus()),
  };
}
