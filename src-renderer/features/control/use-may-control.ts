import { computed, type ComputedRef } from 'vue';
import { type Resource, Resource_State } from '../../../proto/gen/core/status/v1/status.ts';
import { useConnection } from '../../shared/stores/connection.ts';
import { useDraftChanges } from '../../shared/stores/draft-changes.ts';
import { useControlSwitch } from './control-switch.ts';

/** Whether a resource may be moved from here, now. */
export function useMayControl(resource: () => Resource): ComputedRef<boolean> {
  const control = useControlSwitch();
  const connection = useConnection();
  const draft = useDraftChanges();
  return computed(
    () =>
      control.isOn &&
      connection.isConnected &&
      resource().state === Resource_State.READY &&
      !draft.has(resource().name),
  );
}
