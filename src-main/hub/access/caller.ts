import { permissions, type Action } from '../../../proto/config/permissions.ts';
import { maskSecrets } from '../../../proto/config/secret-split.ts';
import { ArmatureError } from '../../base/errors.ts';
import type { Principal } from '../../rpc/principal.ts';
import { notFound } from '../places/fleet-errors.ts';
import { findPlace, type Place, type Target } from '../places/place.ts';
import type { Author } from './author.ts';
import type { Queries } from '../storage/tables.ts';
import { isAllowed, readAction, type Grant } from './permissions.ts';

/** Told of each call that was turned away for want of a permission. */
export type OnDenied = (message: string) => void;

/** Who calls, and what they may. Made anew for each call: what was revoked a moment ago is not in it. */
export class Caller {
  readonly author: Author;
  readonly #grants: readonly Grant[] | 'everything';
  readonly #onDenied: OnDenied;

  constructor(author: Author, grants: readonly Grant[] | 'everything', onDenied: OnDenied) {
    this.author = author;
    this.#grants = grants;
    this.#onDenied = onDenied;
  }

  /** What the caller is for which pieces of the fleet; `everything` for who owns this computer. */
  get grants(): readonly Grant[] | 'everything' {
    return this.#grants;
  }

  may(action: Action, at: Place): boolean {
    return this.#grants === 'everything' || isAllowed(this.#grants, action, at);
  }

  /**
   * @returns where it is
   * @throws {ArmatureError} `call.not_found` for what is not there and for what the caller may not see, in the same
   *   words; `access.denied` where the caller may see it and no more
   */
  async require(action: Action, target: Target, db: Queries): Promise<Place> {
    const place = await findPlace(db, target);
    if (place === undefined || !this.may(readAction(target.type), place)) throw notFound(target.type, target.id);
    if (!this.may(action, place)) throw this.denied(action, target);
    return place;
  }

  /** A configuration as this caller may see it: without secrets, unless they may change those, or are the part itself. */
  textAt(place: Place, text: string): string {
    return this.may('config.write', place) || this.may('part.serve', place) ? text : maskSecrets(text);
  }

  /** The refusal of an action on something that the caller may see. */
  denied(action: Action, { type, id }: Target): ArmatureError {
    const roles = permissions[action].filter((role) => role !== 'part');
    const message = `"${action}" on the ${type} "${id}" needs the role ${roles.join(' or ')}, which this caller (${this.author.type} ${this.author.id}) does not have. Use a key that has it.`;
    this.#onDenied(message);
    return new ArmatureError('access.denied', message, { details: { action, type, id } });
  }
}

const HERE: Author = { type: 'local', id: '' };

/**
 * What a principal is for the hub. Reads the store each time. An `api-key` is
 * one of this hub: access rules that know keys of their own as well, such as
 * those in a machine's configuration, must not call them by that name here.
 */
export async function callerOf(principal: Principal, db: Queries, onDenied: OnDenied): Promise<Caller> {
  switch (principal.kind) {
    // Whoever let them in has found that this computer is theirs.
    case 'local':
    case 'launch-token':
      return new Caller(HERE, 'everything', onDenied);
    case 'user':
      return new Caller({ ...HERE, id: principal.entity }, 'everything', onDenied);
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
    // The hub of a machine is nobody at a hub that this machine has itself; its modules have a key to show. To be on
    // this computer is no proof of being its owner.
    case 'loopback':
    case 'hub':
    case 'module':
    case 'anonymous':
      throw new ArmatureError('access.unauthenticated', 'This call needs an API key: authenticate first.');
  }
}

/** Modules operate the machine that they are part of: see the table of roles in docs/contributor/hub-access.md. */
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
