import { sql, type Selectable } from 'kysely';
import type { Clock } from '../../base/clock.ts';
import { ArmatureError } from '../../base/errors.ts';
import { noteAccessChange } from '../access/keys/access-mark.ts';
import type { Store } from '../storage/store.ts';
import type { PartsTable } from './tables.ts';
import type { Queries, WriteTransaction } from '../storage/tables.ts';
import { nameTaken, notFound } from '../places/fleet-errors.ts';
import { newId } from '../places/ids.ts';
import { checkMachineName, dnsLabelOf } from '../places/names.ts';

export type Part = Selectable<PartsTable>;

/** The row of a new part. */
export function newPart(machineId: string, name: string, isMain: boolean, now: number): Part {
  return {
    id: newId(),
    machine_id: machineId,
    name: checkMachineName('the name of the part', name),
    dns_label: dnsLabelOf(name),
    is_main: isMain ? 1 : 0,
    metadata: '{}',
    created_at: now,
    updated_at: now,
    version: 0,
    last_access_at: null,
  };
}

/** The parts of this hub: each is one computer of a machine, and has one configuration. */
export class Parts {
  readonly #store: Store;
  readonly #clock: Clock;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** @throws {ArmatureError} `call.bad_argument`, `fleet.name_taken` */
  async create(machineId: string, name: string, tx: WriteTransaction): Promise<Part> {
    const row = newPart(machineId, name, false, this.#clock.now());
    await this.#checkName(row, tx);
    await tx.insertInto('parts').values(row).execute();
    return row;
  }

  /** The main part first. */
  list(machineIds: readonly string[]): Promise<Part[]> {
    if (machineIds.length === 0) return Promise.resolve([]);
    return this.#store.db
      .selectFrom('parts')
      .selectAll()
      .where('machine_id', 'in', machineIds)
      .orderBy('is_main', 'desc')
      .orderBy('created_at')
      .orderBy('id')
      .execute();
  }

  /** @throws {ArmatureError} `call.not_found` */
  async get(id: string, db: Queries = this.#store.db): Promise<Part> {
    const row = await db.selectFrom('parts').selectAll().where('id', '=', id).executeTakeFirst();
    if (row === undefined) throw notFound('part', id);
    return row;
  }

  /** Parts of a location with this name; several machines may have one. */
  findByName(name: string, locationId: string): Promise<Part[]> {
    return this.#store.db
      .selectFrom('parts')
      .innerJoin('machines', 'machines.id', 'parts.machine_id')
      .selectAll('parts')
      .where('parts.name', '=', name)
      .where('machines.location_id', '=', locationId)
      .execute();
  }

  /**
   * Renames a part.
   * @throws {ArmatureError} `call.bad_argument`, `fleet.name_taken`
   */
  async rename(part: Part, name: string, tx: WriteTransaction): Promise<void> {
    const row = { ...part, name: checkMachineName('the name of the part', name), dns_label: dnsLabelOf(name) };
    await this.#checkName(row, tx);
    const { dns_label } = row;
    await tx.updateTable('parts').set({ name, dns_label }).where('id', '=', part.id).execute();
  }

  /**
   * Updates the time of the last change, always to one that no editor has seen yet.
   * @param version number of its new configuration; left out if that is the same
   * @returns the part afterwards
   * @throws {ArmatureError} `call.not_found`
   */
  async touch(id: string, now: number, tx: WriteTransaction, version?: number): Promise<Part> {
    const later = sql<number>`CASE WHEN updated_at < ${now} THEN ${now} ELSE updated_at + 1 END`;
    const values = { updated_at: later, ...(version === undefined ? {} : { version }) };
    const changed = tx.updateTable('parts').set(values).where('id', '=', id).returningAll();
    const row = await changed.executeTakeFirst();
    if (row === undefined) throw notFound('part', id);
    return row;
  }

  async setMetadata(id: string, metadata: string): Promise<void> {
    await this.#store.transaction(async (tx) => {
      await this.get(id, tx);
      await tx.updateTable('parts').set({ metadata }).where('id', '=', id).execute();
    });
  }

  /** Makes a part the main part of its machine. */
  async markMain(id: string): Promise<void> {
    await this.#store.transaction(async (tx) => {
      const { machine_id } = await this.get(id, tx);
      await tx.updateTable('parts').set({ is_main: 0 }).where('machine_id', '=', machine_id).execute();
      await tx.updateTable('parts').set({ is_main: 1 }).where('id', '=', id).execute();
    });
  }

  /** @throws {ArmatureError} `call.not_found`, `call.failed_precondition` for a main part */
  async delete(id: string): Promise<void> {
    await this.#store.transaction(async (tx) => {
      const { name, is_main } = await this.get(id, tx);
      if (is_main === 1) {
        throw new ArmatureError(
          'call.failed_precondition',
          `"${name}" is the main part of its machine. Make another part the main one first, or delete the machine.`,
        );
      }
      await tx.deleteFrom('parts').where('id', '=', id).execute();
      await noteAccessChange(tx); // its secrets went with it
    });
  }

  async #checkName(row: Part, tx: WriteTransaction): Promise<void> {
    const same = await tx
      .selectFrom('parts')
      .select('name')
      .where('machine_id', '=', row.machine_id)
      .where('dns_label', '=', row.dns_label)
      .where('id', '!=', row.id)
      .executeTakeFirst();
    if (same !== undefined) throw nameTaken('part', same.name, 'This machine');
  }
}
