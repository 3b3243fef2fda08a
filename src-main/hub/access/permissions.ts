import { roleAllows, type Action, type Role } from '../../../proto/config/permissions.ts';
import type { Place, Target } from '../places/place.ts';

/** What somebody is for one piece of the fleet. */
export interface Grant {
  readonly role: Role;
  /** The piece itself is the innermost of it. */
  readonly place: Place;
}

/**
 * Whoever holds something may read the names of what is around it: that is how one gets to it. Modules and packages of its
 * organization are what its machines run.
 */
const namesAbove: ReadonlySet<Action> = new Set<Action>([
  'organization.read',
  'location.read',
  'machine.read',
  'module.read',
  'package.read',
]);

/** Whether these grants allow an action on something. Costs no query. */
export function isAllowed(grants: readonly Grant[], action: Action, at: Place): boolean {
  return grants.some(
    ({ role, place }) =>
      roleAllows(role, action) && (isWithin(at, place) || (namesAbove.has(action) && isWithin(place, at))),
  );
}

/** Whether `inner` is `outer`, or in it. */
export function isWithin(inner: Place, outer: Place): boolean {
  if (outer.organizationId !== inner.organizationId) return false;
  const [location] = outer.locationIds;
  if (location !== undefined && !inner.locationIds.includes(location)) return false;
  if (outer.machineId !== undefined && outer.machineId !== inner.machineId) return false;
  return outer.partId === undefined || outer.partId === inner.partId;
}

/** The action that shows whether something is there. */
export function readAction(type: Target['type']): Action {
  return `${type}.read`;
}
