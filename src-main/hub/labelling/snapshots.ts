import { sql, type Selectable } from 'kysely';
import type { DatasetCounts } from '../../../proto/config/datasets/training-rules.ts';
import type { Clock } from '../../base/clock.ts';
import { ArmatureError } from '../../base/errors.ts';
import type { Blobs } from '../blobs/blobs.ts';
import type { Datasets } from '../datasets/datasets.ts';
import type { SnapshotUses } from '../datasets/snapshot-uses.ts';
import type {
  DatasetSnapshotItemsTable,
  DatasetSnapshotLabelsTable,
  DatasetSnapshotsTable,
} from '../datasets/tables.ts';
import { notFound } from '../places/fleet-errors.ts';
import { newId } from '../places/ids.ts';
import type { Store } from '../storage/store.ts';
import type { WriteTransaction } from '../storage/tables.ts';
import { countLabels, labelsOfSnapshot } from './label-counts.ts';

const MAX_NOTE_CHARS = 500;
/** Rows of one transaction. */
const ROWS_AT_ONCE = 500;

/** A snapshot of a dataset, without its pictures. */
export interface Snapshot extends Omit<Selectable<DatasetSnapshotsTable>, 'counts'> {
  readonly counts: DatasetCounts;
}

export type SnapshotLabel = Selectable<DatasetSnapshotLabelsTable>;

/** A picture of a snapshot, with its labels as they were. */
export interface SnapshotItem extends Selectable<DatasetSnapshotItemsTable> {
  readonly labels: readonly SnapshotLabel[];
}

export interface SnapshotsOptions {
  readonly store: Store;
  readonly datasets: Datasets;
  /** Contains the bytes of the pictures. */
  readonly blobs: Blobs;
  readonly uses: SnapshotUses;
  readonly clock: Clock;
}

/** Snapshots of datasets. The bytes of a picture stay while a snapshot contains it, even if the picture is deleted. */
export class DatasetSnapshots {
  readonly #options: SnapshotsOptions;

  constructor(options: SnapshotsOptions) {
    this.#options = options;
  }

  /**
   * Takes a snapshot of a dataset as it is now.
   * @throws {ArmatureError} `call.not_found`, `call.bad_argument`, `call.failed_precondition` if the dataset is empty
   */
  create(datasetId: string, note: string): Promise<Snapshot> {
    if (note.length > MAX_NOTE_CHARS) {
      throw new ArmatureError(
        'call.bad_argument',
        `The note has ${note.length} characters; at most ${MAX_NOTE_CHARS} are kept. Shorten it.`,
      );
    }
    return this.#options.store.transaction((tx) => this.#create(datasetId, note, tx));
  }

  /**
   * The newest snapshot of a dataset if the dataset has not changed since; otherwise a new one.
   * @throws {ArmatureError} `call.not_found`, `call.failed_precondition` if the dataset is empty
   */
  async current(datasetId: string, tx: WriteTransaction): Promise<Snapshot> {
    const newest = await tx
      .selectFrom('dataset_snapshots')
      .selectAll()
      .where('dataset_id', '=', datasetId)
      .orderBy('number', 'desc')
      .limit(1)
      .executeTakeFirst();
    const made = await this.#create(datasetId, '', tx);
    if (newest === undefined || !(await areSame(newest.id, made.id, tx))) return made;
    await tx.deleteFrom('dataset_snapshots').where('id', '=', made.id).execute();
    for (const table of ['dataset_snapshot_labels', 'dataset_snapshot_items'] as const) {
      await tx.deleteFrom(table).where('snapshot_id', '=', made.id).execute();
    }
    await tx
      .updateTable('datasets')
      .set({ snapshots: made.number - 1 })
      .where('id', '=', datasetId)
      .execute();
    return snapshotOf(newest);
  }

  async #create(datasetId: string, note: string, tx: WriteTransaction): Promise<Snapshot> {
    const { datasets, clock } = this.#options;
    const dataset = await datasets.get(datasetId, tx);
    const id = newId();
    await copyItems(id, datasetId, tx);
    await copyLabels(id, tx);
    const totals = await tx
      .selectFrom('dataset_snapshot_items')
      .select((select) => [select.fn.countAll().as('count'), select.fn.sum('bytes').as('bytes')])
      .where('snapshot_id', '=', id)
      .executeTakeFirstOrThrow();
    const pictures = Number(totals.count);
    if (pictures === 0) {
      throw new ArmatureError(
        'call.failed_precondition',
        `The dataset "${dataset.name}" has no pictures: add some before it is frozen.`,
      );
    }
    const number = dataset.snapshots + 1;
    await tx.updateTable('datasets').set({ snapshots: number }).where('id', '=', datasetId).execute();
    const counts = await countLabels(labelsOfSnapshot(id), pictures, [], tx);
    const row = {
      ...{ id, dataset_id: datasetId, number, created_at: clock.now(), note },
      bytes: Number(totals.bytes ?? 0),
    };
    await tx
      .insertInto('dataset_snapshots')
      .values({ ...row, counts: JSON.stringify(counts) })
      .execute();
    return { ...row, counts };
  }

  /** The snapshots of a dataset, newest first. */
  async list(datasetId: string): Promise<Snapshot[]> {
    const rows = this.#options.store.db.selectFrom('dataset_snapshots').selectAll();
    return (await rows.where('dataset_id', '=', datasetId).orderBy('number', 'desc').execute()).map(snapshotOf);
  }

  /** @throws {ArmatureError} `call.not_found` */
  async get(id: string): Promise<Snapshot> {
    const row = this.#options.store.db.selectFrom('dataset_snapshots').selectAll().where('id', '=', id);
    const found = await row.executeTakeFirst();
    if (found === undefined) throw notFound('snapshot', id);
    return snapshotOf(found);
  }

  /** Pictures of a snapshot after a position, which is 0 for the first page. */
  async page(id: string, after: number, limit: number): Promise<SnapshotItem[]> {
    const { db } = this.#options.store;
    const items = await db
      .selectFrom('dataset_snapshot_items')
      .selectAll()
      .where('snapshot_id', '=', id)
      .where('position', '>', after)
      .orderBy('position')
      .limit(limit)
      .execute();
    const [first, last] = [items.at(0), items.at(-1)];
    if (first === undefined || last === undefined) return [];
    const rows = await db
      .selectFrom('dataset_snapshot_labels')
      .selectAll()
      .where('snapshot_id', '=', id)
      .where('position', '>=', first.position)
      .where('position', '<=', last.position)
      .orderBy('label')
      .orderBy('id')
      .execute();
    const labels = Map.groupBy(rows, ({ position }) => position);
    return items.map((item) => ({ ...item, labels: labels.get(item.position) ?? [] }));
  }

  /** All pictures of a snapshot, in their order. */
  async *items(id: string): AsyncGenerator<SnapshotItem> {
    for (let after = 0; ;) {
      const page = await this.page(id, after, ROWS_AT_ONCE);
      yield* page;
      if (page.length < ROWS_AT_ONCE) return;
      after = page.at(-1)?.position ?? after;
    }
  }

  /** The bytes of a picture. @throws {ArmatureError} `store.corrupt`, `store.unavailable` */
  bytes({ sha256, bytes }: Pick<SnapshotItem, 'sha256' | 'bytes'>): ReturnType<Blobs['open']> {
    return this.#options.blobs.open(sha256, bytes);
  }

  /**
   * @param force also if something was made from the snapshot
   * @throws {ArmatureError} `call.failed_precondition` while it is in use
   */
  async delete(id: string, force: boolean): Promise<void> {
    const { store, uses } = this.#options;
    await store.transaction(async (tx) => {
      await uses.requireUnused(tx.selectFrom('dataset_snapshots').selectAll().where('id', '=', id), tx, force);
      await tx.deleteFrom('dataset_snapshots').where('id', '=', id).execute();
    });
    await this.sweep();
  }

  /**
   * Deletes the rows and bytes of deleted snapshots, in batches. Snapshots whose dataset or organization was deleted
   * are cleaned up only here.
   * @returns how many pictures were deleted
   */
  async sweep(): Promise<number> {
    for (let total = 0; ;) {
      const count = await this.#sweepSome();
      total += count;
      if (count < ROWS_AT_ONCE) return total;
    }
  }

  async #sweepSome(): Promise<number> {
    let count = 0;
    await this.#options.blobs.release(async (tx, letGo) => {
      const isKept = tx.selectFrom('dataset_snapshots').select('id');
      const rows = await tx
        .selectFrom('dataset_snapshot_items')
        .select(['snapshot_id', 'position', 'sha256'])
        .where('snapshot_id', 'not in', isKept)
        .limit(ROWS_AT_ONCE)
        .execute();
      count = rows.length;
      await letGo(rows.map(({ sha256 }) => sha256));
      for (const [id, items] of Map.groupBy(rows, ({ snapshot_id }) => snapshot_id)) {
        const positions = items.map(({ position }) => position);
        for (const table of ['dataset_snapshot_labels', 'dataset_snapshot_items'] as const) {
          await tx.deleteFrom(table).where('snapshot_id', '=', id).where('position', 'in', positions).execute();
        }
      }
    });
    return count;
  }
}

/** Whether two snapshots have the same pictures with the same labels. */
async function areSame(first: string, second: string, tx: WriteTransaction): Promise<boolean> {
  const columns = {
    dataset_snapshot_items: sql`position, binary_id, sha256`,
    dataset_snapshot_labels: sql`position, kind, id, label, confidence, x_min, y_min, x_max, y_max`,
  };
  for (const [name, list] of Object.entries(columns)) {
    const table = sql.table(name);
    for (const [one, other] of [
      [first, second],
      [second, first],
    ]) {
      const { rows } = await sql`
        SELECT ${list} FROM ${table} WHERE snapshot_id = ${one}
        EXCEPT SELECT ${list} FROM ${table} WHERE snapshot_id = ${other} LIMIT 1`.execute(tx);
      if (rows.length > 0) return false;
    }
  }
  return true;
}

async function copyItems(snapshotId: string, datasetId: string, tx: WriteTransaction): Promise<void> {
  await sql`
    INSERT INTO dataset_snapshot_items (snapshot_id, position, binary_id, sha256, bytes, received_at, mime_type, file_ext,
      organization_id, location_id, machine_id, part_id, component_name)
    SELECT ${snapshotId}, ROW_NUMBER() OVER (ORDER BY binary_data.received_at, binary_data.number), binary_data.id,
      binary_data.sha256, binary_data.bytes, binary_data.received_at, captures.mime_type, binary_data.file_ext,
      captures.organization_id, captures.location_id, captures.machine_id, captures.part_id, captures.component_name
    FROM dataset_members
    JOIN binary_data ON binary_data.number = dataset_members.binary_number
    JOIN captures ON captures.id = binary_data.capture_id
    WHERE dataset_members.dataset_id = ${datasetId}`.execute(tx);
}

async function copyLabels(snapshotId: string, tx: WriteTransaction): Promise<void> {
  const items = sql`dataset_snapshot_items JOIN binary_data ON binary_data.id = dataset_snapshot_items.binary_id`;
  await sql`
    INSERT INTO dataset_snapshot_labels (snapshot_id, position, kind, id, label)
    SELECT snapshot_id, position, 'tag', '', binary_tags.tag
    FROM ${items} JOIN binary_tags ON binary_tags.binary_number = binary_data.number
    WHERE snapshot_id = ${snapshotId}`.execute(tx);
  await sql`
    INSERT INTO dataset_snapshot_labels (snapshot_id, position, kind, id, label, confidence, x_min, y_min, x_max, y_max)
    SELECT snapshot_id, position, CASE WHEN x_min IS NULL THEN 'class' ELSE 'box' END, binary_labels.id, label, confidence,
      x_min, y_min, x_max, y_max
    FROM ${items} JOIN binary_labels ON binary_labels.binary_number = binary_data.number
    WHERE snapshot_id = ${snapshotId}`.execute(tx);
}

function snapshotOf({ counts, ...row }: Selectable<DatasetSnapshotsTable>): Snapshot {
  return { ...row, counts: JSON.parse(counts) as DatasetCounts };
}
