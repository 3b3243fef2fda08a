import type { Selectable } from 'kysely';
import type { Clock } from '../../base/clock.ts';
import { ArmatureError } from '../../base/errors.ts';
import { forgetResource } from '../access/forget-resource.ts';
import type { Store } from '../storage/store.ts';
import type { LocationsTable } from './tables.ts';
import type { Queries, WriteTransaction } from '../storage/tables.ts';
import { counted, hasChildren, nameTaken, notFound } from '../places/fleet-errors.ts';
import { newLocationId } from '../places/ids.ts';
import { checkTitle } from '../places/names.ts';
import { findPlace } from '../places/place.ts';

export type Location = Selectable<LocationsTable>;

/** Changes to a location; undefined means no change. */
export interface LocationChange {
  readonly name?: string | undefined;
  /** '' moves it to the top of its organization. */
  readonly parentId?: string | undefined;
  readonly region?: string | undefined;
  readonly metadata?: string | undefined;
}

const MAX_DEPTH = 10;

/** The locations of this hub: a tree in each organization. */
export class Locations {
  readonly #store: Store;
  readonly #clock: Clock;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** @throws {ArmatureError} `call.bad_argument`, `call.not_found` for the parent, `fleet.name_taken` */
  async create(
    organizationId: string,
    name: string,
    parentId: string | undefined,
    tx: WriteTransaction,
  ): Promise<Location> {
    const row: Location = {
      id: newLocationId(),
      organization_id: organizationId,
      parent_id: parentId ?? null,
      name: checkTitle('the name of the location', name),
      region: '',
      metadata: '{}',
      created_at: this.#clock.now(),
    };
    await this.#checkParent(row, tx);
    await this.#checkName(row, tx);
    await tx.insertInto('locations').values(row).execute();
    return row;
  }

  /** All locations of an organization, oldest first. */
  list(organizationId: string): Promise<Location[]> {
    return this.#store.db
      .selectFrom('locations')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .orderBy('created_at')
      .orderBy('id')
      .execute();
  }

  /** @throws {ArmatureError} `call.not_found` */
  async get(id: string, db: Queries = this.#store.db): Promise<Location> {
    const row = await db.selectFrom('locations').selectAll().where('id', '=', id).executeTakeFirst();
    if (row === undefined) throw notFound('location', id);
    return row;
  }

  /** @throws {ArmatureError} `call.not_found`, `call.bad_argument`, `fleet.name_taken` */
  async update(id: string, change: LocationChange): Promise<Location> {
    return this.#store.transaction(async (tx) => {
      const row = { ...(await this.get(id, tx)) };
      if (change.name !== undefined) row.name = checkTitle('the name of the location', change.name);
      if (change.parentId !== undefined) row.parent_id = change.parentId === '' ? null : change.parentId;
      if (change.region !== undefined) row.region = change.region;
      if (change.metadata !== undefined) row.metadata = change.metadata;
      if (change.parentId !== undefined) await this.#checkParent(row, tx);
      await this.#checkName(row, tx);
      await tx.updateTable('locations').set(row).where('id', '=', id).execute();
      return row;
    });
  }

  /** @throws {ArmatureError} `call.not_found`, `fleet.has_children` */
  async delete(id: string): Promise<void> {
    await this.#store.transaction(async (tx) => {
      const { name } = await this.get(id, tx);
      const children = await tx
        .selectFrom('locations')
        .select((query) => query.fn.countAll<number>().as('count'))
        .where('parent_id', '=', id)
        .executeTakeFirstOrThrow();
      const machines = await tx
        .selectFrom('machines')
        .select((query) => query.fn.countAll<number>().as('count'))
        .where('location_id', '=', id)
        .executeTakeFirstOrThrow();
      const held = [
        ...(machines.count > 0 ? [counted(machines.count, 'machine')] : []),
        ...(children.count > 0 ? [counted(children.count, 'location')] : []),
      ];
      if (held.length > 0) throw hasChildren('location', name, held.join(' and '));
      await forgetResource(id, tx);
      await tx.deleteFrom('locations').where('id', '=', id).execute();
    });
  }

  /** How many machines each location of an organization contains directly, by location id. */
  async machineCounts(organizationId: string): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#store.db
      .selectFrom('machines')
      .innerJoin('locations', 'locations.id', 'machines.location_id')
      .select((query) => ['machines.location_id', query.fn.countAll<number>().as('count')])
      .where('locations.organization_id', '=', organizationId)
      .groupBy('machines.location_id')
      .execute();
    return new Map(rows.map(({ location_id, count }) => [location_id, count]));
  }

  async #checkParent(row: Location, tx: WriteTransaction): Promise<void> {
    if (row.parent_id === null) return;
    const parent = await findPlace(tx, { type: 'location', id: row.parent_id });
    if (parent?.organizationId !== row.organization_id) throw notFound('location', row.parent_id);
    if (parent.locationIds.includes(row.id)) {
      throw new ArmatureError('call.bad_argument', `The location "${row.name}" cannot be moved into itself.`);
    }
    if (parent.locationIds.length >= MAX_DEPTH) {
      throw new ArmatureError('call.bad_argument', `Locations are nested at most ${MAX_DEPTH} deep.`);
    }
  }

  async #checkName(row: Location, tx: WriteTransaction): Promise<void> {
    const siblings = tx
      .selectFrom('locations')
      .select('id')
      .where('organization_id', '=', row.organization_id)
      .where('name', '=', row.name)
      .where('id', '!=', row.id);
    const same = await (
      row.parent_id === null ? siblings.where('parent_id', 'is', null) : siblings.where('parent_id', '=', row.parent_id)
    ).executeTakeFirst();
    if (same !== undefined) throw nameTaken('location', row.name, 'This place');
  }
}
