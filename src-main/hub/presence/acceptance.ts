import type { Accepted, AcceptedKey } from '../../../proto/gen/core/hub/v1/part.ts';
import { addressOf } from '../places/address.ts';
import { notFound } from '../places/fleet-errors.ts';
import { findPlace, type Place } from '../places/place.ts';
import type { Store } from '../storage/store.ts';

/** What a part is told that it is. */
export type Membership = Omit<Accepted, 'keys' | 'revision'>;

/**
 * Who a part is and where it belongs.
 * @throws {ArmatureError} `call.not_found`
 */
export async function membershipOf(
  { db }: Store,
  partId: string,
): Promise<{ readonly membership: Membership; readonly place: Place }> {
  const place = await findPlace(db, { type: 'part', id: partId });
  const row = await db
    .selectFrom('parts')
    .innerJoin('machines', 'machines.id', 'parts.machine_id')
    .select([
      'parts.name as part_name',
      'parts.dns_label as part_label',
      'parts.is_main',
      'machines.id as machine_id',
      'machines.name as machine_name',
      'machines.dns_label as machine_label',
      'machines.location_id',
    ])
    .where('parts.id', '=', partId)
    .executeTakeFirst();
  if (row === undefined || place === undefined) throw notFound('part', partId);
  const membership: Membership = {
    organizationId: place.organizationId,
    locationId: row.location_id,
    machineId: row.machine_id,
    machineName: row.machine_name,
    partName: row.part_name,
    fqdn: addressOf({
      machineLabel: row.machine_label,
      partLabel: row.part_label,
      isMain: row.is_main === 1,
      locationId: row.location_id,
    }),
  };
  return { membership, place };
}

/** Keys with what they may be used for. */
export interface KeyDirectory {
  /** Keys of whoever may operate what is at this place, with what each is for it, in the order of their ids. */
  keysAt(place: Place): AcceptedKey[];
}

/** Reads all keys at once: those of thousands of parts are then found without a query. */
export async function readKeys({ db }: Store): Promise<KeyDirectory> {
  const rows = await db
    .selectFrom('authorizations')
    .innerJoin('api_keys', 'api_keys.id', 'authorizations.key_id')
    .select(['authorizations.resource_id', 'authorizations.role', 'api_keys.id', 'api_keys.sha256'])
    .execute();
  const byResource = Map.groupBy(rows, ({ resource_id }) => resource_id);
  return {
    keysAt({ organizationId, locationIds, machineId }) {
      const resources = [organizationId, ...locationIds, ...(machineId === undefined ? [] : [machineId])];
      const found = resources.flatMap((id) => byResource.get(id) ?? []);
      const keys = new Map<string, AcceptedKey>();
      for (const { id, sha256, role } of found) {
        // Of several roles the one that may do more.
        if (role === 'owner' || !keys.has(id)) keys.set(id, { id, digest: Buffer.from(sha256, 'hex'), role });
      }
      return [...keys.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
    },
  };
}
