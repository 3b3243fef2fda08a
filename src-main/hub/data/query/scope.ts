import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { roleAllows, type Action } from '../../../../proto/config/permissions.ts';
import type { Caller } from '../../access/caller.ts';
import { placesOf } from '../../places/place.ts';
import type { Queries, Tables } from '../../storage/tables.ts';

/** A condition on captures. */
export type CaptureCondition = (where: ExpressionBuilder<Tables, 'captures'>) => Expression<SqlBool>;

/** The captured data for which a caller may do an action. */
export interface Scope {
  readonly isEmpty: boolean;
  readonly condition: CaptureCondition;
}

/**
 * The captured data that the grants of a caller include: that of organizations, locations with their sublocations,
 * machines and parts for which it has a role. Data belongs to the location where it was captured.
 */
export async function scopeOf(caller: Caller, action: Action, db: Queries): Promise<Scope> {
  if (caller.grants === 'everything') return { isEmpty: false, condition: (where) => where.lit(true) };
  const held = caller.grants.filter(({ role }) => roleAllows(role, action)).map(({ place }) => place);
  const parts = held.flatMap(({ partId }) => partId ?? []);
  const machines = held.flatMap(({ machineId, partId }) => (partId === undefined ? (machineId ?? []) : []));
  const above = held.filter(({ machineId }) => machineId === undefined);
  const topIds = above.flatMap(({ locationIds }) => locationIds[0] ?? []);
  const organizations = above.flatMap(({ organizationId, locationIds }) =>
    locationIds.length === 0 ? [organizationId] : [],
  );
  const locations = await within(topIds, db);
  return {
    isEmpty: held.length === 0,
    condition: (where) =>
      where.or([
        ...(organizations.length > 0 ? [where('captures.organization_id', 'in', organizations)] : []),
        ...(locations.length > 0 ? [where('captures.location_id', 'in', locations)] : []),
        ...(machines.length > 0 ? [where('captures.machine_id', 'in', machines)] : []),
        ...(parts.length > 0 ? [where('captures.part_id', 'in', parts)] : []),
      ]),
  };
}

/**
 * Like {@link scopeOf}, but refuses a caller that may not do the action anywhere.
 * @throws {ArmatureError} `access.denied`
 */
export async function requiredScope(caller: Caller, action: Action, db: Queries): Promise<Scope> {
  const scope = await scopeOf(caller, action, db);
  if (!scope.isEmpty) return scope;
  const [grant] = caller.grants;
  throw caller.denied(action, {
    type: 'organization',
    id: typeof grant === 'object' ? grant.place.organizationId : '',
  });
}

/** These locations and their sublocations. */
async function within(topIds: readonly string[], db: Queries): Promise<string[]> {
  if (topIds.length === 0) return [];
  const organizations = db.selectFrom('locations').select('organization_id').where('id', 'in', topIds);
  const locations = await db
    .selectFrom('locations')
    .select(['id', 'parent_id', 'organization_id'])
    .where('organization_id', 'in', organizations)
    .execute();
  return [...placesOf(locations)]
    .filter(([, { locationIds }]) => locationIds.some((id) => topIds.includes(id)))
    .map(([id]) => id);
}
