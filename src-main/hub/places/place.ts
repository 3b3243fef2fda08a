import type { Queries } from '../storage/tables.ts';

/** The subject of a call or a permission. */
export interface Target {
  readonly type: 'organization' | 'location' | 'machine' | 'part';
  readonly id: string;
}

/** The place of something in the fleet: itself and everything above it. */
export interface Place {
  readonly organizationId: string;
  /** Its location, then the parents up to the top; empty for an organization. */
  readonly locationIds: readonly string[];
  readonly machineId: string | undefined;
  readonly partId: string | undefined;
}

/** The place of an organization. */
export function organizationPlace(organizationId: string): Place {
  return { organizationId, locationIds: [], machineId: undefined, partId: undefined };
}

/** Finds the place of something; undefined if it does not exist. */
export async function findPlace(db: Queries, { type, id }: Target): Promise<Place | undefined> {
  switch (type) {
    case 'organization': {
      const found = await db.selectFrom('organizations').select('id').where('id', '=', id).executeTakeFirst();
      return found && organizationPlace(id);
    }
    case 'location':
      return locationPlace(db, id);
    case 'machine': {
      const machine = await db.selectFrom('machines').select('location_id').where('id', '=', id).executeTakeFirst();
      const place = machine && (await locationPlace(db, machine.location_id));
      return place && { ...place, machineId: id };
    }
    case 'part': {
      const part = await db
        .selectFrom('parts')
        .innerJoin('machines', 'machines.id', 'parts.machine_id')
        .select(['parts.machine_id', 'machines.location_id'])
        .where('parts.id', '=', id)
        .executeTakeFirst();
      const place = part && (await locationPlace(db, part.location_id));
      return place && { ...place, machineId: part.machine_id, partId: id };
    }
  }
}

async function locationPlace(db: Queries, id: string): Promise<Place | undefined> {
  const path = await db
    .withRecursive('above', (query) =>
      query
        .selectFrom('locations')
        .select(['locations.id', 'locations.parent_id', 'locations.organization_id'])
        .where('locations.id', '=', id)
        .unionAll((again) =>
          again
            .selectFrom('locations')
            .innerJoin('above', 'above.parent_id', 'locations.id')
            .select(['locations.id', 'locations.parent_id', 'locations.organization_id']),
        ),
    )
    .selectFrom('above')
    .selectAll()
    .execute();
  const [first] = path;
  if (first === undefined) return undefined;
  // A recursive query guarantees no order.
  const parents = new Map(path.map((location) => [location.id, location.parent_id]));
  const locationIds = upwards(id, parents);
  return { organizationId: first.organization_id, locationIds, machineId: undefined, partId: undefined };
}

/**
 * Places of all locations of an organization, by location id.
 * @param locations all of them
 */
export function placesOf(
  locations: readonly { readonly id: string; readonly parent_id: string | null; readonly organization_id: string }[],
): ReadonlyMap<string, Place> {
  const parents = new Map(locations.map(({ id, parent_id }) => [id, parent_id]));
  return new Map(
    locations.map(({ id, organization_id }) => [
      id,
      { organizationId: organization_id, locationIds: upwards(id, parents), machineId: undefined, partId: undefined },
    ]),
  );
}

function upwards(id: string, parents: ReadonlyMap<string, string | null>): string[] {
  const path: string[] = [];
  for (let at: string | null | undefined = id; at !== null && at !== undefined; at = parents.get(at)) path.push(at);
  return path;
}
