import type { Place, Target } from '../fleet/place.ts';

/** What somebody may be for a piece of the fleet. `part` is the machine's own computer. */
export type Role = 'owner' | 'operator' | 'part';

const owner: readonly Role[] = ['owner'];
const people: readonly Role[] = ['owner', 'operator'];
const everybody: readonly Role[] = ['owner', 'operator', 'part'];

/**
 * Which roles may do what. A role that somebody has for something holds for
 * everything in it: of an organization for its locations, of a location for
 * those in it and for their machines, of a machine for its parts.
 */
export const permissions = {
  'organization.read': everybody,
  'organization.change': owner,
  'organization.delete': owner,
  /** See and use modules that only the organization has. */
  'module.read': everybody,
  /** Make, change, publish and yank modules of the organization, and say which keys sign them. */
  'module.publish': owner,
  'location.read': everybody,
  /** In the organization, or in the location that is to have it. */
  'location.create': owner,
  'location.change': owner,
  'location.delete': owner,
  'machine.read': everybody,
  /** In the location that is to have it. */
  'machine.create': owner,
  'machine.change': owner,
  'machine.delete': owner,
  /** Move it, read it, call its services. */
  'machine.operate': people,
  'part.read': everybody,
  /** In the machine that is to have it. */
  'part.create': owner,
  'part.change': owner,
  'part.delete': owner,
  /** Be the part: fetch its configuration, send its logs and status. */
  'part.serve': ['owner', 'part'],
  'part.secrets': owner,
  'config.read': everybody,
  'config.write': owner,
  'history.read': people,
  'history.annotate': owner,
  'logs.read': people,
  /** Apply now what waits for its maintenance window. */
  'maintenance.override': owner,
  'keys.read': owner,
  'keys.manage': owner,
} as const satisfies Readonly<Record<string, readonly Role[]>>;

export type Action = keyof typeof permissions;

export const actions = Object.keys(permissions) as readonly Action[];

/** What somebody is for one piece of the fleet. */
export interface Grant {
  readonly role: Role;
  /** The piece itself is the innermost of it. */
  readonly place: Place;
}

/**
 * Whoever holds something may read the names of what is around it: that is how one gets to it. Modules of its organization
 * are what its machines run.
 */
const namesAbove: ReadonlySet<Action> = new Set<Action>([
  'organization.read',
  'location.read',
  'machine.read',
  'module.read',
]);

/** Whether these grants allow an action on something. Costs no query. */
export function isAllowed(grants: readonly Grant[], action: Action, at: Place): boolean {
  const roles: readonly Role[] = permissions[action];
  return grants.some(
    ({ role, place }) =>
      roles.includes(role) && (isWithin(at, place) || (namesAbove.has(action) && isWithin(place, at))),
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
