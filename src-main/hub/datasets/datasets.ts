import type { Selectable } from 'kysely';
import type { Clock } from '../../base/clock.ts';
import { nameTaken, notFound } from '../places/fleet-errors.ts';
import { newId } from '../places/ids.ts';
import { checkTitle } from '../places/names.ts';
import { chunksOf } from '../storage/chunks.ts';
import type { Store } from '../storage/store.ts';
import type { Queries, WriteTransaction } from '../storage/tables.ts';
import type { SnapshotUses } from './snapshot-uses.ts';
import type { DatasetsTable } from './tables.ts';

export type Dataset = Selectable<DatasetsTable>;

/** Named sets of binary data. Each belongs to one organization. */
export class Datasets {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #uses: SnapshotUses;

  constructor(store: Store, clock: Clock, uses: SnapshotUses) {
    this.#store = store;
    this.#clock = clock;
    this.#uses = uses;
  }

  /** @throws {ArmatureError} `call.bad_argument`, `fleet.name_taken` */
  async create(organizationId: string, name: string, type: number): Promise<string> {
    return this.#store.transaction((tx) => this.#insert(organizationId, name, type, tx));
  }

  /** @throws {ArmatureError} `call.not_found` */
  async get(id: string, db: Queries = this.#store.db): Promise<Dataset> {
    const row = await db.selectFrom('datasets').selectAll().where('id', '=', id).executeTakeFirst();
    if (row === undefined) throw notFound('dataset', id);
    return row;
  }

  /** The datasets of an organization, oldest first. */
  list(organizationId: string): Promise<Dataset[]> {
    return this.#store.db
      .selectFrom('datasets')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .orderBy('created_at')
      .orderBy('id')
      .execute();
  }

  /** The datasets with these ids, without those that do not exist; at most 1,000 ids. */
  byIds(ids: readonly string[], db: Queries = this.#store.db): Promise<Dataset[]> {
    if (ids.length === 0) return Promise.resolve([]);
    return db.selectFrom('datasets').selectAll().where('id', 'in', ids).orderBy('created_at').orderBy('id').execute();
  }

  /** @throws {ArmatureError} `call.bad_argument`, `fleet.name_taken`, `call.not_found` */
  async rename(id: string, newName: string): Promise<void> {
    const name = checkTitle('the name of the dataset', newName);
    await this.#store.transaction(async (tx) => {
      const { organization_id } = await this.get(id, tx);
      await this.#requireFree(organization_id, name, tx, id);
      await tx.updateTable('datasets').set({ name }).where('id', '=', id).execute();
    });
  }

  /**
   * Deletes a dataset with its snapshots; the binary data in it stays.
   * @throws {ArmatureError} `call.failed_precondition` while one is in use
   */
  async delete(id: string): Promise<void> {
    await this.#store.transaction(async (tx) => {
      await this.#uses.requireUnused(tx.selectFrom('dataset_snapshots').selectAll().where('dataset_id', '=', id), tx);
      await tx.deleteFrom('datasets').where('id', '=', id).execute();
    });
  }

  /**
   * Creates a dataset with everything that these contain.
   * @throws {ArmatureError} `call.bad_argument`, `fleet.name_taken`
   */
  async merge(organizationId: string, name: string, type: number, ids: readonly string[]): Promise<string> {
    return this.#store.transaction(async (tx) => {
      const merged = await this.#insert(organizationId, name, type, tx);
      await tx
        .insertInto('dataset_members')
        .columns(['dataset_id', 'binary_number'])
        .expression((from) =>
          from
            .selectFrom('dataset_members')
            .select((select) => [select.val(merged).as('dataset_id'), 'binary_number'])
            .distinct()
            .where('dataset_id', 'in', ids),
        )
        .execute();
      return merged;
    });
  }

  /** Adds binary data to a dataset. Data that it contains already is skipped. */
  async add(id: string, binaryNumbers: readonly number[], tx: WriteTransaction): Promise<void> {
    for (const some of chunksOf(binaryNumbers)) {
      await tx
        .insertInto('dataset_members')
        .values(some.map((binary_number) => ({ dataset_id: id, binary_number })))
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
  }

  /** Removes binary data from a dataset. Data that it does not contain is skipped. */
  async remove(id: string, binaryNumbers: readonly number[], tx: WriteTransaction): Promise<void> {
    for (const some of chunksOf(binaryNumbers)) {
      const members = tx.deleteFrom('dataset_members').where('dataset_id', '=', id);
      await members.where('binary_number', 'in', some).execute();
    }
  }

  async #insert(organizationId: string, newName: string, type: number, tx: WriteTransaction): Promise<string> {
    const name = checkTitle('the name of the dataset', newName);
    await this.#requireFree(organizationId, name, tx);
    const id = newId();
    const row = { id, organization_id: organizationId, name, type, created_at: this.#clock.now() };
    await tx.insertInto('datasets').values(row).execute();
    return id;
  }

  async #requireFree(organizationId: string, name: string, tx: WriteTransaction, exceptId = ''): Promise<void> {
    const same = await tx
      .selectFrom('datasets')
      .select('id')
      .where('organization_id', '=', organizationId)
      .where('name', '=', name)
      .where('id', '!=', exceptId)
      .executeTakeFirst();
    if (same !== undefined) throw nameTaken('dataset', name, 'The organization');
  }
}
