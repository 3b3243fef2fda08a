import type {
  APIKeyWithAuthorizations,
  AppServiceDefinition,
  Authorization as AuthorizationMessage,
} from '../../../../proto/gen/core/app/v1/app.ts';
import { actions, type Action } from '../../../../proto/config/permissions.ts';
import { ArmatureError } from '../../../base/errors.ts';
import type { ApiKey, ApiKeys, Authorization, IssuedKey, KeyWithAuthorizations, Permission } from './api-keys.ts';
import type { Caller } from '../caller.ts';
import type { Credentials } from './credentials.ts';
import { requireQuota, type Quotas } from '../quotas.ts';
import type { Store } from '../../storage/store.ts';
import { notFound } from '../../places/fleet-errors.ts';
import { findPlace, organizationPlace, type Target } from '../../places/place.ts';
import type { Queries, WriteTransaction } from '../../storage/tables.ts';
import type { HubHandlers } from '../guarded.ts';

const ROLE = /^(organization|location|robot)_(owner|operator)$/;

/** The target of an authorization; the wire calls machines robots. */
function targetOf({ resourceType, resourceId }: Omit<Permission, 'organizationId'>): Target {
  return { type: resourceType === 'robot' ? 'machine' : resourceType, id: resourceId };
}

export interface KeyCallsOptions {
  readonly store: Store;
  readonly keys: ApiKeys;
  readonly credentials: Credentials;
  readonly quotas: Quotas;
}

/**
 * Calls about keys and their roles. One organization owns each key: those who manage its keys rename and delete the key
 * and change its roles. A secret is shown only to callers who may do everything that the key may, and callers can only
 * grant roles for resources whose keys they manage. So nobody can gain a right that they did not have.
 */
export function keyCalls({
  store,
  keys,
  credentials,
  quotas,
}: KeyCallsOptions): HubHandlers<typeof AppServiceDefinition> {
  /** The permission that a request wants to grant; requires that the caller manages keys there. */
  const permissionOf = async (wanted: AuthorizationMessage, caller: Caller, db: Queries): Promise<Permission> => {
    const role = roleOf(wanted);
    const { organizationId } = await caller.require('keys.manage', targetOf(role), db);
    return { ...role, organizationId };
  };

  /** Gets a key, if the caller manages keys of the organization that owns it. */
  const manage = async (id: string, caller: Caller, db: Queries): Promise<KeyWithAuthorizations> => {
    const found = await keys.get(id, db);
    const organizationId = found.key.organization_id;
    if (caller.may('keys.manage', organizationPlace(organizationId))) return found;
    const places = await Promise.all(found.authorizations.map((row) => findPlace(db, targetOf(permissionFrom(row)))));
    const isSeen = places.some((place) => place !== undefined && caller.may('keys.read', place));
    if (!isSeen) throw notFound('API key', id);
    throw caller.denied('keys.manage', { type: 'organization', id: organizationId });
  };

  /**
   * Like `manage`, for a call that shows the caller a secret of this key or of a copy: the caller must have all its
   * rights.
   */
  const manageSecret = async (id: string, caller: Caller, db: Queries): Promise<KeyWithAuthorizations> => {
    const found = await manage(id, caller, db);
    for (const permission of found.authorizations.map(permissionFrom)) {
      const place = await findPlace(db, targetOf(permission));
      if (place === undefined || caller.may('keys.manage', place)) continue;
      throw new ArmatureError(
        'access.denied',
        `The key "${found.key.name}" may do more than this caller: it has a role for the ${targetOf(permission).type} "${permission.resourceId}" of another organization. Delete it and make another one, or take that role away first.`,
      );
    }
    return found;
  };

  /** Gets a key that is to lose a role, if the caller manages the key or the organization that the role is for. */
  const manageRole = async (
    keyId: string,
    role: Omit<Permission, 'organizationId'>,
    caller: Caller,
    db: Queries,
  ): Promise<{ readonly key: ApiKey; readonly permission: Permission }> => {
    const found = await keys.get(keyId, db);
    const permission = found.authorizations
      .map(permissionFrom)
      .find((one) => one.role === role.role && one.resourceId === role.resourceId);
    const foreign = permission?.organizationId === found.key.organization_id ? undefined : permission?.organizationId;
    if (foreign === undefined || !caller.may('keys.manage', organizationPlace(foreign))) {
      await manage(keyId, caller, db);
    }
    if (permission === undefined)
      throw notFound('authorization', `${role.resourceType}_${role.role} ${role.resourceId}`);
    return { key: found.key, permission };
  };

  /** Changes one key; the change is in effect before the call is answered. */
  const change = async <T extends { readonly id: string }>(work: (tx: WriteTransaction) => Promise<T>): Promise<T> => {
    const changed = await store.transaction(work);
    await credentials.refresh();
    return changed;
  };

  const create = async (
    name: string,
    allowed: readonly Permission[],
    caller: Caller,
    tx: WriteTransaction,
  ): Promise<IssuedKey> => {
    const organizationId = allowed[0]?.organizationId;
    if (organizationId !== undefined) await requireQuota(quotas, 'keys', organizationId, caller, tx);
    return keys.create(name, allowed, tx);
  };

  return {
    async createKey({ authorizations, name }, caller) {
      const { id, secret } = await change(async (tx) => {
        const allowed: Permission[] = [];
        for (const wanted of authorizations) allowed.push(await permissionOf(wanted, caller, tx));
        return create(name || defaultName(allowed), allowed, caller, tx);
      });
      return { id, key: secret };
    },

    async createKeyFromExistingKeyAuthorizations({ id }, caller) {
      const made = await change(async (tx) => {
        const { key, authorizations } = await manageSecret(id, caller, tx);
        const own = authorizations.filter(({ organization_id }) => organization_id === key.organization_id);
        return create(key.name, own.map(permissionFrom), caller, tx);
      });
      return { id: made.id, key: made.secret };
    },

    async listKeys({ orgId }, caller) {
      await caller.require('keys.read', { type: 'organization', id: orgId }, store.db);
      return { apiKeys: (await keys.list({ organizationId: orgId })).map(keyMessage) };
    },

    async getRobotAPIKeys({ robotId }, caller) {
      await caller.require('keys.read', { type: 'machine', id: robotId }, store.db);
      const found = await keys.list({ machineId: robotId });
      // Roles for other resources are left out: the caller may not be allowed to see those.
      const here = found.map(({ key, authorizations }) => ({
        key,
        authorizations: authorizations.filter(({ resource_id }) => resource_id === robotId),
      }));
      return { apiKeys: here.map(keyMessage) };
    },

    async renameKey({ id, name }, caller) {
      const row = await store.transaction(async (tx) => {
        await manage(id, caller, tx);
        return keys.rename(id, name, tx);
      });
      return { id, name: row.name };
    },

    async rotateKey({ id }, caller) {
      const { secret } = await change(async (tx) => {
        await manageSecret(id, caller, tx);
        return keys.rotate(id, tx);
      });
      return { id, key: secret };
    },

    async deleteKey({ id }, caller) {
      await change(async (tx) => {
        const { key, authorizations } = await manage(id, caller, tx);
        await keys.delete(id, tx);
        if (authorizations.some((row) => isOwnerOf(key.organization_id, permissionFrom(row)))) {
          await requireOwner(key.organization_id, key, tx);
        }
        return key;
      });
      return {};
    },

    async addRole({ authorization }, caller) {
      const { wanted, keyId } = parseKeyAuthorization(authorization);
      await change(async (tx) => {
        const { key } = await manage(keyId, caller, tx);
        await allow(key, await permissionOf(wanted, caller, tx), tx);
        return key;
      });
      return {};
    },

    async removeRole({ authorization }, caller) {
      const { wanted, keyId } = parseKeyAuthorization(authorization);
      await change(async (tx) => {
        const { key, permission } = await manageRole(keyId, roleOf(wanted), caller, tx);
        await disallow(key, permission, tx);
        return key;
      });
      return {};
    },

    async changeRole({ oldAuthorization, newAuthorization }, caller) {
      const from = parseKeyAuthorization(oldAuthorization);
      const to = parseKeyAuthorization(newAuthorization);
      if (from.keyId !== to.keyId) throw new ArmatureError('call.bad_argument', 'Both authorizations are of one key.');
      await change(async (tx) => {
        const { key } = await manage(to.keyId, caller, tx);
        await allow(key, await permissionOf(to.wanted, caller, tx), tx);
        const { permission } = await manageRole(from.keyId, roleOf(from.wanted), caller, tx);
        await disallow(key, permission, tx);
        return key;
      });
      return {};
    },

    async listAuthorizations({ organizationId, resourceIds }, caller) {
      await caller.require('keys.read', { type: 'organization', id: organizationId }, store.db);
      const listed = await keys.authorizationsIn(organizationId);
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

  async function allow(key: ApiKey, permission: Permission, tx: WriteTransaction): Promise<void> {
    if (key.organization_id !== permission.organizationId) {
      throw new ArmatureError('call.bad_argument', 'All authorizations of one key are within one organization.');
    }
    await keys.allow(key.id, permission, tx);
  }

  async function disallow(key: ApiKey, permission: Permission, tx: WriteTransaction): Promise<void> {
    await keys.disallow(key.id, permission, tx);
    if (isOwnerOf(permission.organizationId, permission)) await requireOwner(permission.organizationId, key, tx);
  }

  /**
   * @param without the key that has lost its owner role
   * @throws {ArmatureError} `call.failed_precondition` if the organization has no owner key of its own left
   */
  async function requireOwner(organizationId: string, without: ApiKey, tx: WriteTransaction): Promise<void> {
    const owner = await tx
      .selectFrom('authorizations')
      .innerJoin('api_keys', 'api_keys.id', 'authorizations.key_id')
      .select('authorizations.id')
      .where('authorizations.resource_id', '=', organizationId)
      .where('authorizations.role', '=', 'owner')
      .where('api_keys.organization_id', '=', organizationId)
      .executeTakeFirst();
    if (owner !== undefined) return;
    throw new ArmatureError(
      'call.failed_precondition',
      `"${without.name}" is the last owner of the organization. Rotate it instead, or make another owner key first.`,
    );
  }
}

function isOwnerOf(organizationId: string, { role, resourceId }: Permission): boolean {
  return role === 'owner' && resourceId === organizationId;
}

/** @throws {ArmatureError} `call.bad_argument` for an unknown role */
function roleOf(wanted: AuthorizationMessage): Omit<Permission, 'organizationId'> {
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
  const isWhole = wanted.resourceId === '' && resourceType === 'organization';
  return { role, resourceType, resourceId: isWhole ? wanted.organizationId : wanted.resourceId };
}

/** The key that an authorization belongs to. There are no user accounts here. */
function parseKeyAuthorization(authorization: AuthorizationMessage | undefined): {
  readonly wanted: AuthorizationMessage;
  readonly keyId: string;
} {
  if (authorization === undefined) throw new ArmatureError('call.bad_argument', 'The authorization is missing.');
  const { identityType, identityId } = authorization;
  // Some clients leave it empty, because only keys can have roles.
  if (identityType !== '' && identityType !== 'api-key') {
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
