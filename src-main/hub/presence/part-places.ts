import type { Caller } from '../access/caller.ts';
import { placesOf, type Place, type Target } from '../places/place.ts';
import { chunksOf } from '../storage/chunks.ts';
import type { Store } from '../storage/store.ts';

/** A part with its names, its place and its current configuration. */
export interface PartPlace {
  readonly id: string;
  readonly name: string;
  readonly isMain: boolean;
  readonly machineId: string;
  readonly machineName: string;
  readonly locationId: string;
  readonly organizationId: string;
  /** 0 if there is no configuration yet. */
  readonly configNumber: number;
  /** '' if there is none. */
  readonly configRevision: string;
}

/** Parts within a target (all by default) that the caller may see, oldest first. */
export async function visibleParts(store: Store, target: Target | undefined, caller: Caller): Promise<PartPlace[]> {
  const [parts, locations] = await Promise.all([
    rowsOf(store, target),
    store.db.selectFrom('locations').select(['id', 'parent_id', 'organization_id']).execute(),
  ]);
  const places = placesOf(locations);
  return parts.filter((part) => {
    const place = places.get(part.locationId);
    return place !== undefined && caller.may('part.read', placeOfPart(part, place));
  });
}

/** The current state of these parts; deleted parts are left out. The caller must have checked permissions. */
export async function partsById(store: Store, ids: readonly string[]): Promise<ReadonlyMap<string, PartPlace>> {
  const found = new Map<string, PartPlace>();
  for (const some of chunksOf(ids)) {
    const rows = await query(store).where('parts.id', 'in', some).execute();
    for (const row of rows) found.set(row.id, partFrom(row));
  }
  return found;
}

async function rowsOf(store: Store, target: Target | undefined): Promise<PartPlace[]> {
  let rows = query(store).orderBy('parts.created_at').orderBy('parts.id');
  if (target?.type === 'organization') rows = rows.where('locations.organization_id', '=', target.id);
  if (target?.type === 'location') rows = rows.where('locations.id', '=', target.id);
  if (target?.type === 'machine') rows = rows.where('machines.id', '=', target.id);
  if (target?.type === 'part') rows = rows.where('parts.id', '=', target.id);
  return (await rows.execute()).map(partFrom);
}

function query(store: Store) {
  return store.db
    .selectFrom('parts')
    .innerJoin('machines', 'machines.id', 'parts.machine_id')
    .innerJoin('locations', 'locations.id', 'machines.location_id')
    .leftJoin('part_versions', (join) =>
      join.onRef('part_versions.part_id', '=', 'parts.id').onRef('part_versions.number', '=', 'parts.version'),
    )
    .select([
      'parts.id',
      'parts.name',
      'parts.is_main',
      'parts.version',
      'machines.id as machine_id',
      'machines.name as machine_name',
      'locations.id as location_id',
      'locations.organization_id',
      'part_versions.revision',
    ]);
}

type Row = Awaited<ReturnType<ReturnType<typeof query>['execute']>>[number];

function partFrom(row: Row): PartPlace {
  return {
    id: row.id,
    name: row.name,
    isMain: row.is_main === 1,
    machineId: row.machine_id,
    machineName: row.machine_name,
    locationId: row.location_id,
    organizationId: row.organization_id,
    configNumber: row.version,
    configRevision: row.revision ?? '',
  };
}

function placeOfPart(part: PartPlace, location: Place): Place {
  return { ...location, machineId: part.machineId, partId: part.id };
}
