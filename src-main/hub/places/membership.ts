import type { Accepted } from '../../../proto/gen/core/hub/v1/part.ts';
import { addressOf } from './address.ts';
import { notFound } from './fleet-errors.ts';
import { findPlace, type Place } from './place.ts';
import type { Store } from '../storage/store.ts';

/** The identity that the hub sends to a part. */
export type Membership = Omit<Accepted, 'keys' | 'revision'>;

/**
 * Reads the identity and the place of a part.
 * @param known its place, if the caller has just read it
 * @throws {ArmatureError} `call.not_found`
 */
export async function membershipOf(
  { db }: Store,
  partId: string,
  known?: Place,
): Promise<{ readonly membership: Membership; readonly place: Place }> {
  const place = known ?? (await findPlace(db, { type: 'part', id: partId }));
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
