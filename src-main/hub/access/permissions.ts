import { roleAllows, type Action, type Role } from '../../../proto/config/permissions.ts';
import type { Place, Target } from '../places/place.ts';

/** A role for one place in the fleet. */
export interface Grant {
  readonly role: Role;
  /** The role applies to the innermost level of this place, and to what is in it. */
  readonly place: Place;
}

/**
 * A role for a place also allows reading the names of the levels above it, which is needed to navigate there, and the
 * modules and packages of its organization, which its machines run.
 */
const namesAbove: ReadonlySet<Action> = new Set<Action>([
  'organization.read',
  'location.read',
  'machine.read',
  'module.read',
  'package.read',
]);

/** Whether these grants allow an action on a place. Makes no query. */
export function isAllowed(grants: readonly Grant[], action: Action, at: Place): boolean {
  return grants.some(
    ({ role, place }) =>
      roleAllows(role, action) && (isWithin(at, place) || (namesAbove.has(action) && isWithin(place, at))),
  );
}

/** Whether `inner` is the same as `outer`, or inside it. */
export function isWithin(inner: Place, outer: Place): boolean {
  if (outer.organizationId !== inner.organizationId) return false;
  const [location] = outer.locationIds;
  if (location !== undefined && !inner.locationIds.includes(location)) return false;
  if (outer.machineId !== undefined && outer.machineId !== inner.machineId) return false;
  return outer.partId === undefined || outer.partId === inner.partId;
}

/** The action needed to see that something exists. */
export function readAction(type: Target['type']): Action {
  return `${type}.read`;
}
