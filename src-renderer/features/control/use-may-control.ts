import { computed, type ComputedRef } from 'vue';
import { type Resource, Resource_State } from '../../../proto/gen/core/status/v1/status.ts';
import { useConnection } from '../../shared/stores/connection.ts';
import { useDraftChanges } from '../../shared/stores/draft-changes.ts';
import { useControlSwitch } from './control-switch.ts';

/**
 * Whether this page may control a resource now: control is on, the machine is connected, the resource is ready, and the
 * draft does not change it.
 */
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
