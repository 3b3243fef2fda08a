import type {
  APIKeyWithAuthorizations,
  AppServiceDefinition,
  Authorization as AuthorizationMessage,
} from '../../../proto/gen/core/app/v1/app.ts';
import { ArmatureError } from '../../base/errors.ts';
import type { ApiKey, Authorization, KeyWithAuthorizations, Permission } from '../access/api-keys.ts';
import type { Caller } from '../access/caller.ts';
import { actions, type Action } from '../access/permissions.ts';
import { notFound } from '../fleet/fleet-errors.ts';
import { findPlace, type Target } from '../fleet/place.ts';
import type { Hub } from '../hub.ts';
import type { WriteTransaction } from '../storage/tables.ts';
import type { HubHandlers } from './guarded.ts';

const ROLE = /^(organization|location|robot)_(owner|operator)$/;

/** What an authorization is about; the wire calls machines robots. */
function targetOf({ resource_type, resource_id }: Authorization): Target {
  return { type: resource_type === 'robot' ? 'machine' : resource_type, id: resource_id };
}

export function keyCalls(hub: Hub): HubHandlers<typeof AppServiceDefinition> {
  const { store, keys, credentials } = hub;

  /** What a request wants to allow; the caller manages keys there. */
  const permissionOf = async (wanted: AuthorizationMessage, caller: Caller): Promise<Permission> => {
    const match = ROLE.exec(wanted.authorizationId);
    if ((wanted.authorizationType !== '' && wanted.authorizationType !== 'role') || match === null) {
      throw new ArmatureError(
        'call.bad_argument',
        `The authorization "${wanted.authorizationType} ${wanted.authorizationId}" is not known: the type is "role", the id one of organization_owner, organization_operator, location_owner, location_operator, robot_owner, robot_operator.`,
      );
    }
    const [, resourceType, role] = match as unknown as [string, Permission['resourceType'], Permission['role']];
    if (wanted.resourceType !== '' && wanted.resourceType !== resourceType) {
      throw new ArmatureError(
        'call.bad_argument',
        `The role ${wanted.authorizationId} is for a ${resourceType}, not for a ${wanted.resourceType}.`,
      );
    }
    const type = resourceType === 'robot' ? 'machine' : resourceType;
    const id = wanted.resourceId === '' && resourceType === 'organization' ? wanted.organizationId : wanted.resourceId;
    const { organizationId } = await caller.require('keys.manage', { type, id }, store.db);
    return { role, resourceType, resourceId: id, organizationId };
  };

  /** A key of which the caller manages everything that it may do: else it could be made to do more than the caller. */
  const manage = async (id: string, caller: Caller): Promise<KeyWithAuthorizations> => {
    const found = await keys.get(id);
    for (const authorization of found.authorizations) {
      const place = await findPlace(store.db, targetOf(authorization));
      if (place === undefined) throw notFound('API key', id); // what it was for is being deleted
      if (caller.may('keys.manage', place)) continue;
      if (!caller.may('keys.read', place)) throw notFound('API key', id);
      throw caller.denied('keys.manage', targetOf(authorization));
    }
    return found;
  };

  /** A change of one key, in force before the answer: whoever reads it can count on it. */
  const change = async <T extends { readonly id: string }>(work: (tx: WriteTransaction) => Promise<T>): Promise<T> => {
    const changed = await store.transaction(work);
    await credentials.refresh({ kind: 'api-key', id: changed.id });
    return changed;
  };

  return {
    async createKey({ authorizations, name }, caller) {
      const allowed: Permission[] = [];
      for (const wanted of authorizations) allowed.push(await permissionOf(wanted, caller));
      const { id, secret } = await change((tx) => keys.create(name || defaultName(allowed), allowed, tx));
      return { id, key: secret };
    },

    async createKeyFromExistingKeyAuthorizations({ id }, caller) {
      const { key, authorizations } = await manage(id, caller);
      const allowed = authorizations.map(permissionFrom);
      const made = await change((tx) => keys.create(key.name, allowed, tx));
      return { id: made.id, key: made.secret };
    },

    async listKeys({ orgId }, caller) {
      await caller.require('keys.read', { type: 'organization', id: orgId }, store.db);
      return { apiKeys: (await keys.list({ organizationId: orgId })).map(keyMessage) };
    },

    async getRobotAPIKeys({ robotId }, caller) {
      await caller.require('keys.read', { type: 'machine', id: robotId }, store.db);
      const found = await keys.list({ machineId: robotId });
      // What else they may do is for those to know who may see that.
      const here = found.map(({ key, authorizations }) => ({
        key,
        authorizations: authorizations.filter(({ resource_id }) => resource_id === robotId),
      }));
      return { apiKeys: here.map(keyMessage) };
    },

    async renameKey({ id, name }, caller) {
      await manage(id, caller);
      const row = await store.transaction((tx) => keys.rename(id, name, tx));
      return { id, name: row.name };
    },

    async rotateKey({ id }, caller) {
      await manage(id, caller);
      const { secret } = await change((tx) => keys.rotate(id, tx));
      return { id, key: secret };
    },

    async deleteKey({ id }, caller) {
      const { key } = await manage(id, caller);
      await change(async (tx) => {
        await keys.delete(id, tx);
        await requireOwner(key, tx);
        return key;
      });
      return {};
    },

    async addRole({ authorization }, caller) {
      const { wanted, keyId } = ofKey(authorization);
      const permission = await permissionOf(wanted, caller);
      const { key } = await manage(keyId, caller);
      if (key.organization_id !== permission.organizationId) {
        throw new ArmatureError('call.bad_argument', 'All authorizations of one key are within one organization.');
      }
      await change(async (tx) => {
        await keys.allow(keyId, permission, tx);
        return key;
      });
      return {};
    },

    async removeRole({ authorization }, caller) {
      const { wanted, keyId } = ofKey(authorization);
      const permission = await permissionOf(wanted, caller);
      const { key } = await manage(keyId, caller);
      await change(async (tx) => {
        await keys.disallow(keyId, permission, tx);
        await requireOwner(key, tx);
        return key;
      });
      return {};
    },

    async changeRole({ oldAuthorization, newAuthorization }, caller) {
      const from = ofKey(oldAuthorization);
      const to = ofKey(newAuthorization);
      if (from.keyId !== to.keyId) throw new ArmatureError('call.bad_argument', 'Both authorizations are of one key.');
      const [before, after] = [await permissionOf(from.wanted, caller), await permissionOf(to.wanted, caller)];
      const { key } = await manage(from.keyId, caller);
      if (key.organization_id !== after.organizationId) {
        throw new ArmatureError('call.bad_argument', 'All authorizations of one key are within one organization.');
      }
      await change(async (tx) => {
        await keys.allow(from.keyId, after, tx);
        await keys.disallow(from.keyId, before, tx);
        await requireOwner(key, tx);
        return key;
      });
      return {};
    },

    async listAuthorizations({ organizationId, resourceIds }, caller) {
      await caller.require('keys.read', { type: 'organization', id: organizationId }, store.db);
      const listed = (await keys.list({ organizationId })).flatMap(({ authorizations }) => authorizations);
      const wanted = resourceIds.length === 0 ? listed : listed.filter((row) => resourceIds.includes(row.resource_id));
      return { authorizations: wanted.map(authorizationMessage) };
    },

    async checkPermissions({ permissions }, caller) {
      const authorizedPermissions = await Promise.all(
        permissions.map(async (asked) => {
          const type = asked.resourceType === 'robot' ? 'machine' : asked.resourceType;
          const place = isTargetType(type) ? await findPlace(store.db, { type, id: asked.resourceId }) : undefined;
          const has = (action: string): boolean => place !== undefined && isAction(action) && caller.may(action, place);
          return { ...asked, permissions: asked.permissions.filter(has) };
        }),
      );
      return { authorizedPermissions };
    },
  };

  /** @throws {ArmatureError} `call.failed_precondition` where nobody would be left who can do everything */
  async function requireOwner({ organization_id, name }: ApiKey, tx: WriteTransaction): Promise<void> {
    const owner = await tx
      .selectFrom('authorizations')
      .select('id')
      .where('resource_id', '=', organization_id)
      .where('role', '=', 'owner')
      .executeTakeFirst();
    if (owner !== undefined) return;
    throw new ArmatureError(
      'call.failed_precondition',
      `"${name}" is the last owner of its organization. Rotate it instead, or make another owner key first.`,
    );
  }
}

/** The key that an authorization is of. People have no accounts here. */
function ofKey(authorization: AuthorizationMessage | undefined): {
  readonly wanted: AuthorizationMessage;
  readonly keyId: string;
} {
  if (authorization === undefined) throw new ArmatureError('call.bad_argument', 'The authorization is missing.');
  const { identityType, identityId } = authorization;
  if (identityType !== 'api-key') {
    throw new ArmatureError(
      'call.bad_argument',
      `The identity type "${identityType}" is not known here: roles are of keys ("api-key").`,
    );
  }
  return { wanted: authorization, keyId: identityId };
}

function defaultName(allowed: readonly Permission[]): string {
  const [first] = allowed;
  return first === undefined ? 'key' : `${first.resourceType} ${first.role}`;
}

function permissionFrom(row: Authorization): Permission {
  return {
    role: row.role,
    resourceType: row.resource_type,
    resourceId: row.resource_id,
    organizationId: row.organization_id,
  };
}

function keyMessage({ key, authorizations }: KeyWithAuthorizations): APIKeyWithAuthorizations {
  return {
    apiKey: { id: key.id, key: '', name: key.name, createdOn: new Date(key.created_at) },
    authorizations: authorizations.map((row) => ({
      authorizationType: 'role',
      authorizationId: `${row.resource_type}_${row.role}`,
      resourceType: row.resource_type,
      resourceId: row.resource_id,
      orgId: row.organization_id,
    })),
  };
}

function authorizationMessage(row: Authorization): AuthorizationMessage {
  return {
    authorizationType: 'role',
    authorizationId: `${row.resource_type}_${row.role}`,
    resourceType: row.resource_type,
    resourceId: row.resource_id,
    identityId: row.key_id,
    organizationId: row.organization_id,
    identityType: 'api-key',
  };
}

function isTargetType(type: string): type is Target['type'] {
  return type === 'organization' || type === 'location' || type === 'machine' || type === 'part';
}

function isAction(text: string): text is Action {
  return (actions as readonly string[]).includes(text);
}
