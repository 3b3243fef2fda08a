import { randomUUID } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import { AccessTokens } from './access/keys/access-tokens.ts';
import type { ApiKeys, IssuedKey } from './access/keys/api-keys.ts';
import type { Fleet } from './fleet/fleet.ts';
import type { Store } from './storage/store.ts';
import { readSetting } from './storage/settings.ts';

/** What the first start of a hub created. The secret of the key is not stored anywhere. */
export interface FirstStart {
  readonly organizationId: string;
  readonly locationId: string;
  readonly machineId: string;
  readonly ownerKey: IssuedKey;
}

const HUB_ID = 'hub_id';

export interface FirstStartOptions {
  readonly store: Store;
  readonly fleet: Fleet;
  readonly keys: ApiKeys;
  readonly clock: Clock;
  /** Name of the first machine: the computer's name, made valid. */
  readonly machineName: string;
}

/**
 * Creates an organization, a location, a machine with its main part, and an owner key in an empty hub, in one
 * transaction.
 * @returns undefined if the hub was started before
 */
export async function firstStart(options: FirstStartOptions): Promise<FirstStart | undefined> {
  const { store, fleet, keys, clock, machineName } = options;
  if ((await readSetting(store.db, HUB_ID)) !== undefined) return undefined;
  const storeTokenKey = await AccessTokens.createKey(clock);
  return store.transaction(async (tx) => {
    // Another program may have done this in the meantime.
    if ((await readSetting(tx, HUB_ID)) !== undefined) return undefined;
    await tx.insertInto('settings').values({ name: HUB_ID, value: randomUUID() }).execute();
    await storeTokenKey(tx);
    const organization = await fleet.organizations.create('My organization', undefined, tx);
    const location = await fleet.locations.create(organization.id, 'My location', undefined, tx);
    const machine = await fleet.machines.create(machineName, location.id, tx);
    const ownerKey = await keys.create(
      'owner',
      [
        {
          role: 'owner',
          resourceType: 'organization',
          resourceId: organization.id,
          organizationId: organization.id,
        },
      ],
      tx,
    );
    return { organizationId: organization.id, locationId: location.id, machineId: machine.id, ownerKey };
  });
}

/** The unique id of a hub: issuer and audience of its tokens. Throws before the first start. */
export async function readHubId(store: Store): Promise<string> {
  const id = await readSetting(store.db, HUB_ID);
  if (id === undefined) throw new Error('the hub has no id'); // `firstStart` has run
  return id;
}
