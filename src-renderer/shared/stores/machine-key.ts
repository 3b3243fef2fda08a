import { computed, type ComputedRef } from 'vue';
import { useFleet } from './fleet.ts';

/**
 * The key under which this browser keeps something of this machine: `armature.pins.<part>`. Undefined until it is known
 * which machine the page is about.
 */
export function useMachineKey(prefix: string): ComputedRef<string | undefined> {
  const fleet = useFleet();
  return computed(() => {
    if (fleet.herePartId !== '') return `${prefix}.${fleet.herePartId}`;
    // Without a hub a page is about the machine that it came from.
    return fleet.hasHub === false ? prefix : undefined;
  });
}
