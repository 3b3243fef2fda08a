import { roleAllows, type Action } from '../../../proto/config/permissions.ts';
import type { HubView, PlacesView, RoleView } from './fleet-view.ts';
import { locationsWithin } from '../stores/fleet.ts';

/** Where something belongs; '' for an unknown id. */
export interface FleetPlace {
  readonly organizationId: string;
  readonly locationId: string;
  readonly machineId: string;
  readonly partId: string;
}

/** An organization as a whole. */
export function organizationPlace(organizationId: string): FleetPlace {
  return { organizationId, locationId: '', machineId: '', partId: '' };
}

type Caller = Pick<HubView, 'caller'>['caller'];

/** Whether the caller may do something at a place, as far as the page knows; the hub decides. */
export function mayDo(
  action: Action,
  place: FleetPlace,
  caller: Caller | undefined,
  locations: PlacesView['locations'],
): boolean {
  if (caller === undefined) return false;
  const covers = ({ kind, id }: RoleView): boolean => {
    switch (kind) {
      case 'organization':
        return id === place.organizationId;
      case 'location':
        return place.locationId !== '' && locationsWithin(id, locations).has(place.locationId);
      case 'machine':
        return id === place.machineId;
      case 'part':
        return id === place.partId;
    }
  };
  return caller.isLocal || caller.roles.some((role) => roleAllows(role.role, action) && covers(role));
}

/** Whether the caller may see data anywhere. */
export function maySeeAny(caller: Caller | undefined): boolean {
  return caller === undefined || caller.isLocal || caller.roles.some(({ role }) => roleAllows(role, 'data.read'));
}
