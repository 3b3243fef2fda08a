import type { Blobs } from '../../blobs/blobs.ts';
import type { Store } from '../../storage/store.ts';
import type { Queries, WriteTransaction } from '../../storage/tables.ts';
import { countRemoved } from '../captures/captures.ts';
import type { DataQuery } from '../query/filter.ts';
import { spansOf } from '../query/pages.ts';
import { firstReadingOf } from '../tables.ts';

/** Rows of one transaction, so that other transactions do not wait for long. */
const ROWS_AT_ONCE = 2_000;
const BLOBS_AT_ONCE = 100;

/** A row to delete. */
interface RowToDelete {
  readonly id: number;
  readonly bytes: number;
}

/** Deletes the readings that a query selects, in batches. @returns how many */
export async function deleteReadings(store: Store, query: DataQuery, signal: AbortSignal): Promise<number> {
  let total = 0;
  for (const { id } of await spansOf(query, store.db)) {
    for (let count = ROWS_AT_ONCE; count === ROWS_AT_ONCE; total += count) {
      signal.throwIfAborted();
      count = await store.transaction((tx) => deleteSomeReadings(id, query, tx));
    }
  }
  return total;
}

async function deleteSomeReadings(
  captureId: number,
  { startMs, endMs }: Pick<DataQuery, 'startMs' | 'endMs'>,
  tx: WriteTransaction,
): Promise<number> {
  let rows = tx.selectFrom('readings').where('capture_id', '=', captureId);
  if (startMs !== undefined) rows = rows.where('received_at', '>=', startMs);
  if (endMs !== undefined) rows = rows.where('received_at', '<', endMs);
  const rowsToDelete = await rows
    .select((select) => ['id', select.fn<number>('octet_length', ['payload']).as('bytes')])
    .orderBy('received_at')
    .limit(ROWS_AT_ONCE)
    .execute();
  await deleteRows('readings', captureId, rowsToDelete, tx);
  return rowsToDelete.length;
}

/** Deletes the binary data that a query selects, with its tags, labels and places in datasets. @returns how many */
export async function deleteBinary(store: Store, blobs: Blobs, query: DataQuery, signal: AbortSignal): Promise<number> {
  let total = 0;
  for (const { id } of await spansOf(query, store.db)) {
    for (let count = BLOBS_AT_ONCE; count === BLOBS_AT_ONCE; total += count) {
      signal.throwIfAborted();
      count = await deleteSomeBinary(id, query, blobs);
    }
  }
  return total;
}

async function deleteSomeBinary(
  captureId: number,
  { startMs, endMs, item }: Pick<DataQuery, 'startMs' | 'endMs' | 'item'>,
  blobs: Blobs,
): Promise<number> {
  let count = 0;
  await blobs.release(async (tx, letGo) => {
    let rows = tx.selectFrom('binary_data').where('capture_id', '=', captureId);
    if (startMs !== undefined) rows = rows.where('received_at', '>=', startMs);
    if (endMs !== undefined) rows = rows.where('received_at', '<', endMs);
    if (item !== undefined) rows = rows.where(item);
    const rowsToDelete = await rows
      .select(['number as id', 'sha256', 'bytes'])
      .orderBy('received_at')
      .limit(BLOBS_AT_ONCE)
      .execute();
    count = rowsToDelete.length;
    await letGo(rowsToDelete.map(({ sha256 }) => sha256));
    await deleteRows('binary_data', captureId, rowsToDelete, tx);
  });
  return count;
}

/** An upload, and how many readings or pieces of binary data it contained. */
export interface OldUpload {
  readonly number: number;
  readonly count: number;
}

/** Bytes of the data that an upload still has. */
export async function bytesOfUpload(number: number, isBinary: boolean, db: Queries): Promise<number> {
  if (isBinary) {
    const row = await db.selectFrom('binary_data').select('bytes').where('number', '=', number).executeTakeFirst();
    return row?.bytes ?? 0;
  }
  const row = await db
    .selectFrom('readings')
    .select((select) =>
      select.fn.coalesce(select.fn.sum<number>(select.fn('octet_length', ['payload'])), select.lit(0)).as('bytes'),
    )
    .where('id', '>=', firstReadingOf(number))
    .where('id', '<', firstReadingOf(number + 1))
    .executeTakeFirst();
  return Number(row?.bytes ?? 0);
}

/** Deletes readings of uploads of one capture, as many as one transaction may. @returns how many readings */
export function deleteUploads(captureId: number, uploads: readonly OldUpload[], store: Store): Promise<number> {
  return store.transaction(async (tx) => {
    const rowsToDelete: RowToDelete[] = [];
    for (const { number } of uploads) {
      const limit = ROWS_AT_ONCE - rowsToDelete.length;
      const rows = await tx
        .selectFrom('readings')
        .select((select) => ['id', select.fn<number>('octet_length', ['payload']).as('bytes')])
        .where('id', '>=', firstReadingOf(number))
        .where('id', '<', firstReadingOf(number + 1))
        .orderBy('id')
        .limit(limit)
        .execute();
      rowsToDelete.push(...rows);
      // The rest of the upload is deleted in the next transaction.
      if (rows.length === limit) break;
      await tx.deleteFrom('uploads').where('number', '=', number).execute();
    }
    await deleteRows('readings', captureId, rowsToDelete, tx);
    return rowsToDelete.length;
  });
}

/** Deletes uploads of binary data of one capture, up to 100. @returns how many */
export async function deleteBinaryUploads(
  captureId: number,
  uploads: readonly OldUpload[],
  blobs: Blobs,
): Promise<number> {
  const numbers = uploads.slice(0, BLOBS_AT_ONCE).map(({ number }) => number);
  let count = 0;
  await blobs.release(async (tx, letGo) => {
    const rows = tx.selectFrom('binary_data').select(['number as id', 'sha256', 'bytes']);
    const rowsToDelete = await rows.where('number', 'in', numbers).execute();
    count = rowsToDelete.length;
    await letGo(rowsToDelete.map(({ sha256 }) => sha256));
    await deleteRows('binary_data', captureId, rowsToDelete, tx);
    await tx.deleteFrom('uploads').where('number', 'in', numbers).execute();
  });
  return count;
}

async function deleteRows(
  table: 'readings' | 'binary_data',
  captureId: number,
  rowsToDelete: readonly RowToDelete[],
  tx: WriteTransaction,
): Promise<void> {
  if (rowsToDelete.length === 0) return;
  const ids = rowsToDelete.map(({ id }) => id);
  if (table === 'readings') await tx.deleteFrom('readings').where('id', 'in', ids).execute();
  else await tx.deleteFrom('binary_data').where('number', 'in', ids).execute();
  const bytes = rowsToDelete.reduce((sum, row) => sum + row.bytes, 0);
  await countRemoved(captureId, { count: rowsToDelete.length, bytes }, table, tx);
}
