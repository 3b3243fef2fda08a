import { permissions, type Action } from '../../../proto/config/permissions.ts';
import { maskSecrets } from '../../../proto/config/secret-split.ts';
import { ArmatureError } from '../../base/errors.ts';
import type { Principal } from '../../rpc/principal.ts';
import { notFound } from '../places/fleet-errors.ts';
import { findPlace, type Place, type Target } from '../places/place.ts';
import type { Author } from './author.ts';
import type { Queries } from '../storage/tables.ts';
import { isAllowed, readAction, type Grant } from './permissions.ts';

/** Called with a message for each call that is denied for lack of permission. */
export type OnDenied = (message: string) => void;

/** Who calls, and what they may do. Built from the store for each call, so revoked rights are never in it. */
export class Caller {
  readonly author: Author;
  readonly #grants: readonly Grant[] | 'everything';
  readonly #onDenied: OnDenied;

  constructor(author: Author, grants: readonly Grant[] | 'everything', onDenied: OnDenied) {
    this.author = author;
    this.#grants = grants;
    this.#onDenied = onDenied;
  }

  /** The caller's roles and where they apply; `everything` for the owner of this computer. */
  get grants(): readonly Grant[] | 'everything' {
    return this.#grants;
  }

  may(action: Action, at: Place): boolean {
    return this.#grants === 'everything' || isAllowed(this.#grants, action, at);
  }

  /**
   * @returns the place of the target
   * @throws {ArmatureError} `call.not_found`, with the same message, if the target does not exist or the caller may not
   *   see it; `access.denied` if the caller may only see it
   */
  async require(action: Action, target: Target, db: Queries): Promise<Place> {
    const place = await findPlace(db, target);
    if (place === undefined || !this.may(readAction(target.type), place)) throw notFound(target.type, target.id);
    if (!this.may(action, place)) throw this.denied(action, target);
    return place;
  }

  /**
   * A configuration as this caller may see it: with secrets only if the caller may change them or is the part itself.
   */
  textAt(place: Place, text: string): string {
    return this.may('config.write', place) || this.may('part.serve', place) ? text : maskSecrets(text);
  }

  /** The error for an action that the caller may not do, on a target that they may see. */
  denied(action: Action, { type, id }: Target): ArmatureError {
    const roles = permissions[action].filter((role) => role !== 'part');
    const message = `"${action}" on the ${type} "${id}" needs the role ${roles.join(' or ')}, which this caller (${this.author.type} ${this.author.id}) does not have. Use a key that has it.`;
    this.#onDenied(message);
    return new ArmatureError('access.denied', message, { details: { action, type, id } });
  }
}

const LOCAL_AUTHOR: Author = { type: 'local', id: '' };

/**
 * The caller for a principal, read from the store each time. An `api-key` must be a key of this hub: access rules that
 * also know other keys, such as those in a machine's configuration, must use another kind for them here.
 */
export async function callerOf(principal: Principal, db: Queries, onDenied: OnDenied): Promise<Caller> {
  switch (principal.kind) {
    // The access rules have already established that this caller owns this computer.
    case 'local':
    case 'launch-token':
      return new Caller(LOCAL_AUTHOR, 'everything', onDenied);
    case 'user':
      return new Caller({ ...LOCAL_AUTHOR, id: principal.entity }, 'everything', onDenied);
    case 'api-key':
      return new Caller({ type: 'api-key', id: principal.entity }, await grantsOfKey(principal.entity, db), onDenied);
    case 'part-secret': {
      const place = await findPlace(db, { type: 'part', id: principal.entity });
      const grants: Grant[] = place === undefined ? [] : [{ role: 'part', place }];
      return new Caller({ type: 'part-secret', id: principal.entity }, grants, onDenied);
    }
    case 'module-key':
      return new Caller(
        { type: 'module-key', id: principal.entity },
        await grantsOfModuleKey(principal.entity, db),
        onDenied,
      );
    // The hub of a machine has no rights at a hub embedded in that machine, and the machine's modules have their own
    // key. Being on this computer does not prove being its owner.
    case 'loopback':
    case 'hub':
    case 'module':
    case 'anonymous':
      throw new ArmatureError('access.unauthenticated', 'This call needs an API key: authenticate first.');
  }
}

/** Modules may operate their own machine: see the table of roles in docs/contributor/hub-access.md. */
async function grantsOfModuleKey(keyId: string, db: Queries): Promise<readonly Grant[]> {
  const row = await db
    .selectFrom('part_module_keys')
    .innerJoin('parts', 'parts.id', 'part_module_keys.part_id')
    .select('parts.machine_id')
    .where('part_module_keys.key_id', '=', keyId)
    .executeTakeFirst();
  const place = row && (await findPlace(db, { type: 'machine', id: row.machine_id }));
  return place === undefined ? [] : [{ role: 'operator', place }];
}

async function grantsOfKey(keyId: string, db: Queries): Promise<readonly Grant[]> {
  const rows = await db
    .selectFrom('authorizations')
    .select(['role', 'resource_type', 'resource_id'])
    .where('key_id', '=', keyId)
    .execute();
  const grants = await Promise.all(
    rows.map(async ({ role, resource_type, resource_id }): Promise<Grant[]> => {
      const type = resource_type === 'robot' ? 'machine' : resource_type;
      const place = await findPlace(db, { type, id: resource_id });
      return place === undefined ? [] : [{ role, place }];
    }),
  );
  return grants.flat();
}
