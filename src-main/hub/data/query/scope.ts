import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { roleAllows, type Action } from '../../../../proto/config/permissions.ts';
import type { Caller } from '../../access/caller.ts';
import { placesOf } from '../../places/place.ts';
import type { Queries, Tables } from '../../storage/tables.ts';

/** A condition on captures. */
export type CaptureCondition = (where: ExpressionBuilder<Tables, 'captures'>) => Expression<SqlBool>;

/** What a caller may do something with. */
export interface Scope {
  readonly isEmpty: boolean;
  readonly condition: CaptureCondition;
}

/**
 * What the grants of a caller mean for captured data, as a condition: data of the organizations, locations with those in
 * them, machines and parts that they hold a role for. Data belongs to the location where it was captured.
 */
export async function scopeOf(caller: Caller, action: Action, db: Queries): Promise<Scope> {
  if (caller.grants === 'everything') return { isEmpty: false, condition: (where) => where.lit(true) };
  const held = caller.grants.filter(({ role }) => roleAllows(role, action)).map(({ place }) => place);
  const parts = held.flatMap(({ partId }) => partId ?? []);
  const machines = held.flatMap(({ machineId, partId }) => (partId === undefined ? (machineId ?? []) : []));
  const above = held.filter(({ machineId }) => machineId === undefined);
  const tops = above.flatMap(({ locationIds }) => locationIds[0] ?? []);
  const organizations = above.flatMap(({ organizationId, locationIds }) =>
    locationIds.length === 0 ? [organizationId] : [],
  );
  const locations = await within(tops, db);
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
 * The same for what changes something: who may not do it anywhere is told so.
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

/** These locations and those in them. */
async function within(tops: readonly string[], db: Queries): Promise<string[]> {
  if (tops.length === 0) return [];
  const organizations = db.selectFrom('locations').select('organization_id').where('id', 'in', tops);
  const locations = await db
    .selectFrom('locations')
    .select(['id', 'parent_id', 'organization_id'])
    .where('organization_id', 'in', organizations)
    .execute();
  return [...placesOf(locations)]
    .filter(([, { locationIds }]) => locationIds.some((id) => tops.includes(id)))
    .map(([id]) => id);
}
