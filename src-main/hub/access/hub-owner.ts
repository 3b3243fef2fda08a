import { ArmatureError } from '../../base/errors.ts';
import { organizationPlace } from '../places/place.ts';
import type { Queries } from '../storage/tables.ts';
import type { Caller } from './caller.ts';

/**
 * Requires the owner of this computer, or an owner of the first organization: settings apply to the whole hub.
 * @throws {ArmatureError} `access.denied`
 */
export async function requireHubOwner(caller: Caller, db: Queries): Promise<void> {
  if (caller.grants === 'everything') return;
  const first = await db
    .selectFrom('organizations')
    .select('id')
    .where('made_by', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .executeTakeFirst();
  if (first !== undefined && caller.may('hub.settings', organizationPlace(first.id))) return;
  throw new ArmatureError(
    'access.denied',
    'The settings of this hub are only for owners of its first organization, and for the owner of its computer (on the command line there: armature hub).',
  );
}
