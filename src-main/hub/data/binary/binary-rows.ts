import type { Dialect } from '../../../base/dialect.ts';
import type { BinaryData } from '../../../../proto/gen/core/app/data/v1/data.ts';
import type { Blobs } from '../../blobs/blobs.ts';
import type { Queries } from '../../storage/tables.ts';
import { captureMessage, capturesById } from '../captures/capture-message.ts';
import type { DataQuery } from '../query/filter.ts';
import { boundsOf, readPage, spansOf, type PageRequest, type Position } from '../query/pages.ts';
import { annotationsOf } from './binary-labels.ts';

/** A piece of binary data with its position. */
export interface BinaryRow extends Position {
  readonly id: string;
  readonly captureId: number;
  readonly requestedAt: number;
  readonly sha256: string;
  readonly bytes: number;
  readonly fileName: string;
  readonly fileExt: string;
}

/** A page of the binary data that a query selects. */
export async function binaryPage(query: DataQuery, page: PageRequest, db: Queries): Promise<BinaryRow[]> {
  const { item } = query;
  const { startMs, endMs } = boundsOf(query, page);
  return readPage(await spansOf(query, db), page, ({ id }, { after, isAscending, limit }) => {
    let rows = binaryRows(db).where('capture_id', '=', id);
    if (startMs !== undefined) rows = rows.where('received_at', '>=', startMs);
    if (endMs !== undefined) rows = rows.where('received_at', '<', endMs);
    if (item !== undefined) rows = rows.where(item);
    if (after !== undefined) {
      const { receivedAt, number } = after;
      rows = rows.where((where) =>
        where(where.refTuple('received_at', 'number'), isAscending ? '>' : '<', where.tuple(receivedAt, number)),
      );
    }
    const order = isAscending ? 'asc' : 'desc';
    return rows.orderBy('received_at', order).orderBy('number', order).limit(limit).execute();
  });
}

/** A query of binary data, with the columns of a {@link BinaryRow}. */
export function binaryRows(db: Queries) {
  return db
    .selectFrom('binary_data')
    .select(['number', 'binary_data.id', 'capture_id as captureId', 'sha256', 'binary_data.bytes'])
    .select([
      'requested_at as requestedAt',
      'received_at as receivedAt',
      'file_name as fileName',
      'file_ext as fileExt',
    ]);
}

/** Pieces of binary data as messages, with all their metadata but without their bytes. */
export async function binaryMessages(rows: readonly BinaryRow[], dialect: Dialect, db: Queries): Promise<BinaryData[]> {
  if (rows.length === 0) return [];
  const numbers = rows.map(({ number }) => number);
  const captureIds = rows.map(({ captureId }) => captureId);
  const [captures, annotations, tagRows, memberRows] = await Promise.all([
    capturesById(captureIds, db),
    annotationsOf(numbers, db),
    db.selectFrom('binary_tags').selectAll().where('binary_number', 'in', numbers).orderBy('tag').execute(),
    db.selectFrom('dataset_members').selectAll().where('binary_number', 'in', numbers).orderBy('dataset_id').execute(),
  ]);
  const tags = Map.groupBy(tagRows, ({ binary_number }) => binary_number);
  const members = Map.groupBy(memberRows, ({ binary_number }) => binary_number);
  return rows.map((row) => {
    const capture = captures.get(row.captureId);
    const ownTags = (tags.get(row.number) ?? []).map(({ tag }) => tag);
    return {
      binary: new Uint8Array(0),
      metadata: {
        id: row.id,
        binaryDataId: row.id,
        captureMetadata: capture && captureMessage(capture, dialect, ownTags),
        timeRequested: new Date(row.requestedAt),
        timeReceived: new Date(row.receivedAt),
        fileName: row.fileName,
        fileExt: row.fileExt,
        uri: '',
        annotations: annotations.get(row.number) ?? { bboxes: [], classifications: [] },
        datasetIds: (members.get(row.number) ?? []).map(({ dataset_id }) => dataset_id),
        fileSizeBytes: BigInt(row.bytes),
      },
    };
  });
}

/** All bytes of a piece of binary data. @throws {ArmatureError} `store.corrupt`, `store.unavailable` */
export async function bytesOf({ sha256, bytes }: BinaryRow, blobs: Blobs): Promise<Uint8Array> {
  const blob = await blobs.open(sha256, bytes);
  try {
    const chunks: Uint8Array[] = [];
    for await (const chunk of blob) chunks.push(chunk);
    return Buffer.concat(chunks);
  } finally {
    blob.close();
  }
}

/** How many pieces of binary data a query selects, and their bytes. */
export async function countBinary(query: DataQuery, db: Queries): Promise<{ count: number; bytes: number }> {
  const { startMs, endMs, item, capture } = query;
  let rows = db
    .selectFrom('binary_data')
    .select((select) => [
      select.fn.countAll<number>().as('count'),
      select.fn.sum<number | null>('binary_data.bytes').as('bytes'),
    ])
    .where(
      'capture_id',
      'in',
      db.selectFrom('captures').select('captures.id').where('is_binary', '=', 1).where(capture),
    );
  if (startMs !== undefined) rows = rows.where('received_at', '>=', startMs);
  if (endMs !== undefined) rows = rows.where('received_at', '<', endMs);
  if (item !== undefined) rows = rows.where(item);
  const { count, bytes } = await rows.executeTakeFirstOrThrow();
  return { count: Number(count), bytes: Number(bytes ?? 0) };
}
