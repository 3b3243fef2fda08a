import type { Selectable } from 'kysely';
import type { Clock } from '../../../base/clock.ts';
import { notFound } from '../../places/fleet-errors.ts';
import { newId } from '../../places/ids.ts';
import type { Store } from '../../storage/store.ts';
import type { PartSecretsTable } from '../tables.ts';
import { noteAccessChange } from './access-mark.ts';
import { newSecret, type IssuedKey } from './api-keys.ts';

export type PartSecret = Omit<Selectable<PartSecretsTable>, 'sha256'>;

/**
 * Secrets that a part may use instead of an API key. A part may have several, so that one can be replaced without an
 * interruption.
 */
export class PartSecrets {
  readonly #store: Store;
  readonly #clock: Clock;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  async create(partId: string): Promise<IssuedKey> {
    const { secret, sha256 } = newSecret();
    const id = newId();
    await this.#store.transaction(async (tx) => {
      const row = { id, part_id: partId, sha256, created_at: this.#clock.now() };
      await tx.insertInto('part_secrets').values(row).execute();
      await noteAccessChange(tx, { kind: 'part-secret', id: partId });
    });
    return { id, secret };
  }

  /** Oldest first. */
  list(partIds: readonly string[]): Promise<PartSecret[]> {
    if (partIds.length === 0) return Promise.resolve([]);
    return this.#store.db
      .selectFrom('part_secrets')
      .select(['id', 'part_id', 'created_at'])
      .where('part_id', 'in', partIds)
      .orderBy('created_at')
      .orderBy('id')
      .execute();
  }

  /** @throws {ArmatureError} `call.not_found` */
  async delete(partId: string, id: string): Promise<void> {
    await this.#store.transaction(async (tx) => {
      const query = tx.deleteFrom('part_secrets').where('id', '=', id).where('part_id', '=', partId);
      const { numDeletedRows } = await query.executeTakeFirst();
      if (numDeletedRows === 0n) throw notFound('part secret', id);
      await noteAccessChange(tx, { kind: 'part-secret', id: partId });
    });
  }
}
