import type { Selectable } from 'kysely';
import type { Clock } from '../../base/clock.ts';
import { forgetResource } from '../access/forget-resource.ts';
import type { Store } from '../storage/store.ts';
import type { MachinesTable } from './tables.ts';
import type { Queries, WriteTransaction } from '../storage/tables.ts';
import { counted, hasChildren, nameTaken, notFound } from '../places/fleet-errors.ts';
import { newId } from '../places/ids.ts';
import { checkMachineName, dnsLabelOf } from '../places/names.ts';
import { newPart } from './parts.ts';

export type Machine = Selectable<MachinesTable>;

/** Changes to a machine; undefined means no change. */
export interface MachineChange {
  readonly name?: string | undefined;
  readonly locationId?: string | undefined;
  readonly metadata?: string | undefined;
}

/** The machines of this hub. The wire calls them robots. */
export class Machines {
  readonly #store: Store;
  readonly #clock: Clock;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * Creates a machine and its main part.
   * @throws {ArmatureError} `call.bad_argument` for the name, `fleet.name_taken`
   */
  async create(name: string, locationId: string, tx: WriteTransaction): Promise<Machine> {
    const row: Machine = {
      id: newId(),
      location_id: locationId,
      name: checkMachineName('the name of the machine', name),
      dns_label: dnsLabelOf(name),
      metadata: '{}',
      created_at: this.#clock.now(),
    };
    await this.#checkName(row, tx);
    await tx.insertInto('machines').values(row).execute();
    // Named as in the public ecosystem. A part's name may be as long as a machine's.
    await tx
      .insertInto('parts')
      .values(newPart(row.id, mainPartName(name), true, this.#clock.now()))
      .execute();
    return row;
  }

  /** Oldest first. */
  async listIn(locationIds: readonly string[]): Promise<Machine[]> {
    if (locationIds.length === 0) return [];
    return this.#store.db
      .selectFrom('machines')
      .selectAll()
      .where('location_id', 'in', locationIds)
      .orderBy('created_at')
      .orderBy('id')
      .execute();
  }

  /** @throws {ArmatureError} `call.not_found` */
  async get(id: string, db: Queries = this.#store.db): Promise<Machine> {
    const row = await db.selectFrom('machines').selectAll().where('id', '=', id).executeTakeFirst();
    if (row === undefined) throw notFound('machine', id);
    return row;
  }

  /** @throws {ArmatureError} `call.not_found`, `call.bad_argument`, `fleet.name_taken` */
  async update(id: string, change: MachineChange): Promise<Machine> {
    return this.#store.transaction(async (tx) => {
      const row = { ...(await this.get(id, tx)) };
      if (change.name !== undefined) {
        row.name = checkMachineName('the name of the machine', change.name);
        row.dns_label = dnsLabelOf(row.name);
      }
      if (change.locationId !== undefined) row.location_id = change.locationId;
      if (change.metadata !== undefined) row.metadata = change.metadata;
      await this.#checkName(row, tx);
      await tx.updateTable('machines').set(row).where('id', '=', id).execute();
      return row;
    });
  }

  /**
   * Deletes a machine, its main part and the history of that part.
   * @throws {ArmatureError} `call.not_found`, `fleet.has_children` if it has further parts
   */
  async delete(id: string): Promise<void> {
    await this.#store.transaction(async (tx) => {
      const { name } = await this.get(id, tx);
      const { count } = await tx
        .selectFrom('parts')
        .select((query) => query.fn.countAll<number>().as('count'))
        .where('machine_id', '=', id)
        .where('is_main', '=', 0)
        .executeTakeFirstOrThrow();
      if (count > 0) throw hasChildren('machine', name, counted(count, 'further part'));
      await forgetResource(id, tx);
      await tx.deleteFrom('machines').where('id', '=', id).execute();
    });
  }

  async #checkName(row: Machine, tx: WriteTransaction): Promise<void> {
    const same = await tx
      .selectFrom('machines')
      .select('name')
      .where('location_id', '=', row.location_id)
      .where('dns_label', '=', row.dns_label)
      .where('id', '!=', row.id)
      .executeTakeFirst();
    if (same !== undefined) throw nameTaken('machine', same.name, 'This location');
  }
}

function mainPartName(machineName: string): string {
  return `${machineName.slice(0, 55)}-main`;
}
