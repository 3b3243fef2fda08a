import { existsSync } from 'node:fs';
import path from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { ArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { ApiKeys, type KeyWithAuthorizations, type Permission } from '../../hub/access/keys/api-keys.ts';
import { Authority } from '../../hub/access/certificates/authority.ts';
import { readHubId } from '../../hub/first-start.ts';
import { Fleet } from '../../hub/fleet/fleet.ts';
import { findPlace } from '../../hub/places/place.ts';
import {
  backUpPackages,
  packagesBeside,
  restorePackages,
  type CopiedPackages,
} from '../../hub/registry/packages/packages-backup.ts';
import { PACKAGES } from '../../hub/registry/registry.ts';
import { DATABASE_FILE, isPostgresAddress, openStore } from '../../hub/storage/open-store.ts';
import { backUp, restore } from '../../hub/storage/sqlite/sqlite-backup.ts';
import type { Store } from '../../hub/storage/store.ts';
import type { HubCommand, HubPlace } from './hub-options.ts';
import { runSmtpAction } from './smtp-command.ts';

/** A command that does one thing to a hub's data and ends; the hub may be running. */
export type OneHubCommand = Exclude<HubCommand, { readonly kind: 'serve' | 'help' | 'usage-error' }>;

/**
 * Carries a command out.
 * @returns what to print on standard output
 * @throws {ArmatureError} any failure, with a message for the user
 */
export async function runHubCommand(command: OneHubCommand, logger: Logger): Promise<string> {
  const { place } = command;
  switch (command.kind) {
    case 'backup': {
      backUp(embedded(place, 'pg_dump'), command.file);
      const packages = backUpPackages(place.folder, command.file);
      return `backup ${command.file}\n${packagesLines(packages, packagesBeside(command.file), place)}`;
    }
    case 'restore': {
      const kept = await restore(embedded(place, 'pg_restore'), command.file, systemClock.now());
      const packages = restorePackages(place.folder, command.file, kept);
      const note = kept === undefined ? '' : `kept ${kept}\n`;
      const lines = packagesLines(packages, packagesBeside(command.file), place);
      return `restored ${path.join(place.folder, DATABASE_FILE)}\n${note}${lines}`;
    }
    case 'ca':
      return withStore(place, logger, async (store) => {
        const authority = await Authority.open(store, systemClock, await readHubId(store));
        return authority.certificate;
      });
    case 'smtp':
      return withStore(place, logger, (store) => runSmtpAction(store, command.action));
    case 'key-create':
      return withStore(place, logger, (store) => createKey(store, command));
    case 'key-list':
      return withStore(place, logger, async (store) => {
        const keys = await new ApiKeys(store, systemClock).list(undefined);
        return command.isJson ? `${JSON.stringify(keys.map(asJson), null, 2)}\n` : keys.map(asLine).join('');
      });
    case 'key-revoke':
      return withStore(place, logger, async (store) => {
        const { key } = await keyOf(store, command.id);
        await store.transaction((tx) => new ApiKeys(store, systemClock).delete(key.id, tx));
        return `revoked ${key.id}\n`;
      });
    case 'key-rotate':
      return withStore(place, logger, async (store) => {
        const { key } = await keyOf(store, command.id);
        const made = await store.transaction((tx) => new ApiKeys(store, systemClock).rotate(key.id, tx));
        return `key id ${made.id}\nkey ${made.secret}\n`;
      });
  }
}

async function withStore<T>(place: HubPlace, logger: Logger, work: (store: Store) => Promise<T>): Promise<T> {
  const isEmpty = !isPostgresAddress(place.address) && !existsSync(path.join(place.folder, DATABASE_FILE));
  if (isEmpty) throw noHub(place.folder);
  const store = await openStore(place.address, logger);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

async function createKey(store: Store, command: OneHubCommand & { readonly kind: 'key-create' }): Promise<string> {
  const match = /^(organization|location|robot)_(owner|operator)$/.exec(command.role);
  if (match === null) {
    throw new ArmatureError(
      'call.bad_argument',
      `--role is "${command.role}": allowed are organization, location or robot with _owner or _operator.`,
    );
  }
  const [, resourceType, role] = match as unknown as [string, Permission['resourceType'], Permission['role']];
  const resourceId = command.resourceId ?? (await onlyOrganization(store, command.role));
  const target = { type: resourceType === 'robot' ? 'machine' : resourceType, id: resourceId } as const;
  const found = await findPlace(store.db, target);
  if (found === undefined) {
    throw new ArmatureError('call.not_found', `--for: this hub has no ${target.type} "${resourceId}".`);
  }
  const permission: Permission = { role, resourceType, resourceId, organizationId: found.organizationId };
  const keys = new ApiKeys(store, systemClock);
  const made = await store.transaction((tx) => keys.create(command.name, [permission], tx));
  return `key id ${made.id}\nkey ${made.secret}\n`;
}

async function onlyOrganization(store: Store, role: string): Promise<string> {
  const [first, second] = await new Fleet(store, systemClock).organizations.list();
  if (first !== undefined && second === undefined && role.startsWith('organization_')) return first.id;
  throw new ArmatureError('call.bad_argument', `--for is missing: say by its id what the role ${role} is for.`);
}

async function keyOf(store: Store, id: string): Promise<KeyWithAuthorizations> {
  const keys = await new ApiKeys(store, systemClock).list(undefined);
  const found = keys.find(({ key }) => key.id === id);
  if (found !== undefined) return found;
  throw new ArmatureError('call.not_found', `This hub has no key "${id}". "armature hub key list" shows those it has.`);
}

/** @param beside the folder with the packages of the backup */
function packagesLines({ copied, missing }: CopiedPackages, beside: string, { filesAddress }: HubPlace): string {
  const done = copied === 0 ? '' : `packages ${copied} ${beside}\n`;
  if (missing.length === 0) return done;
  // A bucket is not copied: it may have any size, and has its own means of backup.
  if (filesAddress !== undefined)
    return `${done}packages in ${filesAddress} ${missing.length}: back that bucket up too\n`;
  return `${done}packages missing ${missing.length}: ${missing.join(' ')}\n`;
}

function asLine({ key, authorizations }: KeyWithAuthorizations): string {
  const roles = authorizations.map((row) => `${row.resource_type}_${row.role} ${row.resource_id}`).join(', ');
  return `${key.id}  ${new Date(key.created_at).toISOString()}  ${roles}  ${key.name}\n`;
}

function asJson({ key, authorizations }: KeyWithAuthorizations): object {
  return {
    id: key.id,
    name: key.name,
    created: new Date(key.created_at).toISOString(),
    rotations: key.generation - 1,
    authorizations: authorizations.map((row) => ({
      role: `${row.resource_type}_${row.role}`,
      resource_id: row.resource_id,
    })),
  };
}

function embedded({ address, folder, filesAddress }: HubPlace, tool: string): string {
  if (!isPostgresAddress(address)) return folder;
  throw new ArmatureError(
    'call.failed_precondition',
    `This copies the embedded database. For PostgreSQL use its own tools (${tool}), and copy the packages in ${filesAddress ?? path.join(folder, PACKAGES)}.`,
  );
}

function noHub(folder: string): ArmatureError {
  return new ArmatureError('store.unavailable', `There is no hub in ${folder}. Name its folder with --data.`);
}
