import { computed } from 'vue';
import { useFleet } from '../../shared/stores/fleet.ts';
import type { NameOf } from './key-words.ts';

/** Names the places of roles as people know them. */
export function usePlaceNames(): NameOf {
  const fleet = useFleet();
  const names = computed(() => {
    const { organizations, locations } = fleet.places;
    const parts = [...fleet.parts.values()];
    return new Map([
      ...organizations.map(({ id, name }) => [`organization ${id}`, name] as const),
      ...locations.map(({ id }) => [`location ${id}`, fleet.locationPath(id)] as const),
      ...parts.map(({ machineId, machineName }) => [`machine ${machineId}`, machineName] as const),
      ...parts.map(({ partId, machineName }) => [`part ${partId}`, machineName] as const),
    ]);
  });
  return ({ kind, id }) => names.value.get(`${kind} ${id}`);
}
