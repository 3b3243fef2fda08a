import { computed, type ComputedRef } from 'vue';
import type { ResourceView } from '../../shared/machine/machine-view.ts';
import { useConnection } from '../../shared/stores/connection.ts';
import { useDraftChanges } from '../../shared/stores/draft-changes.ts';
import { useControlSwitch } from './control-switch.ts';

/** Whether a resource may be moved from here, now. */
export function useMayControl(resource: () => ResourceView): ComputedRef<boolean> {
  const control = useControlSwitch();
  const connection = useConnection();
  const draft = useDraftChanges();
  return computed(
    () => control.isOn && connection.isConnected && resource().state === 'ready' && !draft.has(resource().fullName),
  );
}
