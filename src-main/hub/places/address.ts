import { FLEET_DOMAIN, isFleetName } from '../../base/server-address.ts';
import type { Queries } from '../storage/tables.ts';

/** The components of an address. */
export interface AddressParts {
  readonly machineLabel: string;
  readonly partLabel: string;
  readonly isMain: boolean;
  readonly locationId: string;
}

/**
 * Address of a part: `<machine>.<location>.armature.local`, with the part's name in front unless it is the main part.
 */
export function addressOf({ machineLabel, partLabel, isMain, locationId }: AddressParts): string {
  const machine = `${machineLabel}.${locationId}.${FLEET_DOMAIN}`;
  return isMain ? machine : `${partLabel}.${machine}`;
}

/** Parses an address, ignoring its port; undefined if it is not valid. */
export function readAddress(text: string): AddressParts | undefined {
  const address = text.toLowerCase().replace(/:\d+$/, '');
  if (!isFleetName(address)) return undefined;
  const labels = address.slice(0, -FLEET_DOMAIN.length - 1).split('.');
  const [locationId, machineLabel, partLabel = ''] = labels.toReversed();
  if (labels.length > 3 || locationId === undefined || machineLabel === undefined) return undefined;
  return { machineLabel, partLabel, isMain: labels.length === 2, locationId };
}

/** Id of the part with this address; undefined if there is none. */
export async function partAt(db: Queries, address: AddressParts): Promise<string | undefined> {
  const { machineLabel, partLabel, isMain, locationId } = address;
  const row = await db
    .selectFrom('parts')
    .innerJoin('machines', 'machines.id', 'parts.machine_id')
    .select('parts.id')
    .where('machines.location_id', '=', locationId)
    .where('machines.dns_label', '=', machineLabel)
    .where((where) => (isMain ? where('parts.is_main', '=', 1) : where('parts.dns_label', '=', partLabel)))
    .executeTakeFirst();
  return row?.id;
}
