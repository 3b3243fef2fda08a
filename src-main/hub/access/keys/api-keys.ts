import type { Selectable, SelectQueryBuilder } from 'kysely';
import type { Clock } from '../../../base/clock.ts';
import { ArmatureError } from '../../../base/errors.ts';
import { sha256 } from '../../../rpc/access/access-policy.ts';
import { notFound } from '../../places/fleet-errors.ts';
import { newId, randomText } from '../../places/ids.ts';
import { checkTitle } from '../../places/names.ts';
import type { Store } from '../../storage/store.ts';
import type { ApiKeysTable, AuthorizationsTable } from '../tables.ts';
import type { Queries, Tables, WriteTransaction } from '../../storage/tables.ts';
import { noteAccessChange } from './access-mark.ts';

export type ApiKey = Omit<Selectable<ApiKeysTable>, 'sha256'>;
export type Authorization = Selectable<AuthorizationsTable>;

/** A key with its authorizations. */
export interface KeyWithAuthorizations {
  readonly key: ApiKey;
  readonly authorizations: readonly Authorization[];
}

/** One role of a key for one resource. */
export interface Permission {
  readonly role: Authorization['role'];
  readonly resourceType: Authorization['resource_type'];
  readonly resourceId: string;
  readonly organizationId: string;
}

/** A key with its secret, which is shown only once. */
export interface IssuedKey {
  readonly id: string;
  readonly secret: string;
}

const columns = ['id', 'organization_id', 'name', 'generation', 'created_at'] as const;

/** 36^50 is more than 2^256, so the secret is as strong as its hash. */
const SECRET_LENGTH = 50;

/** Creates a secret to show once, and the hash that is stored. */
export function newSecret(): { readonly secret: string; readonly sha256: string } {
  const secret = randomText(SECRET_LENGTH);
  return { secret, sha256: Buffer.from(sha256(secret)).toString('hex') };
}

/** API keys in the store. Each change is recorded for the access rules (`access-mark.ts`). */
export class ApiKeys {
  readonly #store: Store;
  readonly #clock: Clock;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** @throws {ArmatureError} `call.bad_argument` for an invalid name, or no authorizations */
  async create(name: string, allowed: readonly Permission[], tx: WriteTransaction): Promise<IssuedKey> {
    const organizationId = allowed[0]?.organizationId;
    if (organizationId === undefined) {
      throw new ArmatureError('call.bad_argument', 'A key needs at least one authorization, or it could do nothing.');
    }
    if (allowed.some((permission) => permission.organizationId !== organizationId)) {
      throw new ArmatureError('call.bad_argument', 'All authorizations of one key are within one organization.');
    }
    const { secret, sha256 } = newSecret();
    const created_at = this.#clock.now();
    const key = { id: newId(), organization_id: organizationId, name: checkTitle('the name of the key', name) };
    await tx
      .insertInto('api_keys')
      .values({ ...key, sha256, generation: 1, created_at })
      .execute();
    for (const permission of allowed) await this.#authorize(key.id, permission, tx);
    await noteAccessChange(tx, { kind: 'api-key', id: key.id });
    return { id: key.id, secret };
  }

  /** Adds an authorization to a key, unless it has it already. */
  async allow(keyId: string, permission: Permission, tx: WriteTransaction): Promise<void> {
    await this.#authorize(keyId, permission, tx);
    await noteAccessChange(tx, { kind: 'api-key', id: keyId });
  }

  async #authorize(keyId: string, permission: Permission, tx: WriteTransaction): Promise<void> {
    const row: Authorization = {
      id: newId(),
      key_id: keyId,
      role: permission.role,
      resource_type: permission.resourceType,
      resource_id: permission.resourceId,
      organization_id: permission.organizationId,
      created_at: this.#clock.now(),
    };
    await tx
      .insertInto('authorizations')
      .values(row)
      .onConflict((conflict) => conflict.columns(['key_id', 'role', 'resource_type', 'resource_id']).doNothing())
      .execute();
  }

  /**
   * Removes an authorization from a key.
   * @throws {ArmatureError} `call.not_found` if the key does not have it
   */
  async disallow(keyId: string, { role, resourceType, resourceId }: Permission, tx: WriteTransaction): Promise<void> {
    const { numDeletedRows } = await tx
      .deleteFrom('authorizations')
      .where('key_id', '=', keyId)
      .where('role', '=', role)
      .where('resource_type', '=', resourceType)
      .where('resource_id', '=', resourceId)
      .executeTakeFirst();
    if (numDeletedRows === 0n) throw notFound('authorization', `${resourceType}_${role} ${resourceId}`);
    await noteAccessChange(tx, { kind: 'api-key', id: keyId });
  }

  /** @throws {ArmatureError} `call.not_found` */
  async get(id: string, db: Queries = this.#store.db): Promise<KeyWithAuthorizations> {
    const key = await db.selectFrom('api_keys').select(columns).where('id', '=', id).executeTakeFirst();
    if (key === undefined) throw notFound('API key', id);
    return { key, authorizations: await authorizationsOf([id], db) };
  }

  /** Authorizations for an organization and everything in it, whoever owns the keys. */
  authorizationsIn(organizationId: string): Promise<Authorization[]> {
    return this.#store.db
      .selectFrom('authorizations')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .orderBy('created_at')
      .orderBy('id')
      .execute();
  }

  /** Keys of an organization, or keys with a role for a machine; all keys by default. Oldest first. */
  async list(
    where: { readonly organizationId: string } | { readonly machineId: string } | undefined,
  ): Promise<KeyWithAuthorizations[]> {
    const { db } = this.#store;
    let ids = db.selectFrom('api_keys').select('id');
    if (where !== undefined && 'organizationId' in where) ids = ids.where('organization_id', '=', where.organizationId);
    if (where !== undefined && 'machineId' in where) {
      const ofMachine = db.selectFrom('authorizations').select('key_id').where('resource_id', '=', where.machineId);
      ids = ids.where('id', 'in', ofMachine);
    }
    const keys = await db
      .selectFrom('api_keys')
      .select(columns)
      .where('id', 'in', ids)
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    const authorizations = Map.groupBy(await authorizationsOf(ids, db), ({ key_id }) => key_id);
    return keys.map((key) => ({ key, authorizations: authorizations.get(key.id) ?? [] }));
  }

  /** @throws {ArmatureError} `call.not_found`, `call.bad_argument` */
  async rename(id: string, name: string, tx: WriteTransaction): Promise<ApiKey> {
    await tx
      .updateTable('api_keys')
      .set({ name: checkTitle('the name of the key', name) })
      .where('id', '=', id)
      .execute();
    return (await this.get(id, tx)).key;
  }

  /**
   * Replaces the secret of a key; the previous secret and its tokens stop working.
   * @throws {ArmatureError} `call.not_found`
   */
  async rotate(id: string, tx: WriteTransaction): Promise<IssuedKey> {
    const { key } = await this.get(id, tx);
    const { secret, sha256 } = newSecret();
    await tx
      .updateTable('api_keys')
      .set({ sha256, generation: key.generation + 1 })
      .where('id', '=', id)
      .execute();
    await noteAccessChange(tx, { kind: 'api-key', id });
    return { id, secret };
  }

  /** @throws {ArmatureError} `call.not_found` */
  async delete(id: string, tx: WriteTransaction): Promise<void> {
    const { numDeletedRows } = await tx.deleteFrom('api_keys').where('id', '=', id).executeTakeFirst();
    if (numDeletedRows === 0n) throw notFound('API key', id);
    await noteAccessChange(tx, { kind: 'api-key', id });
  }
}

function authorizationsOf(
  keyIds: readonly string[] | SelectQueryBuilder<Tables, 'api_keys', { id: string }>,
  db: Queries,
): Promise<Authorization[]> {
  return db
    .selectFrom('authorizations')
    .selectAll()
    .where('key_id', 'in', keyIds)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}
