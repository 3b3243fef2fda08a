import type { Selectable } from 'kysely';
import type { Queries } from '../../storage/tables.ts';
import type { DataQuery } from '../query/filter.ts';
import { boundsOf, readPage, spansOf, type CaptureSpan, type PageRequest, type Position } from '../query/pages.ts';
import type { ReadingsTable } from '../tables.ts';

/** A reading with its position. */
export interface ReadingRow extends Position, Pick<Selectable<ReadingsTable>, 'payload'> {
  readonly captureId: number;
  readonly requestedAt: number;
}

type Interval = Pick<DataQuery, 'startMs' | 'endMs'>;

/** Rows that are read at once: this many of the largest ones (MAX_PAYLOAD_BYTES) fit into memory. */
const ROWS_AT_ONCE = 500;
/** Rows that are read at once for an answer, whose size may end it early. */
const ANSWER_ROWS_AT_ONCE = 100;
/** Payloads in one answer; a message has at most 32 MiB. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** A page of the readings that a query selects; shorter than asked for if the readings are large. */
export async function readingsPage(query: DataQuery, page: PageRequest, db: Queries): Promise<ReadingRow[]> {
  const spans = await spansOf(query, db);
  const rows: ReadingRow[] = [];
  let bytes = 0;
  for (let { after } = page; rows.length < page.limit;) {
    const limit = Math.min(ANSWER_ROWS_AT_ONCE, page.limit - rows.length);
    const more = await readingsOfSpans(spans, query, { ...page, limit, after }, db);
    for (const row of more) {
      bytes += Buffer.byteLength(row.payload);
      if (bytes > MAX_ANSWER_BYTES) return rows;
      rows.push(row);
    }
    if (more.length < limit) break;
    after = more.at(-1);
  }
  return rows;
}

/** A page of the readings of some captures. */
export function readingsOfSpans(
  spans: readonly CaptureSpan[],
  interval: Interval,
  page: PageRequest,
  db: Queries,
): Promise<ReadingRow[]> {
  const { startMs, endMs } = boundsOf(interval, page);
  return readPage(spans, page, ({ id }, { after, isAscending, limit }) => {
    let rows = db.selectFrom('readings').where('capture_id', '=', id);
    if (startMs !== undefined) rows = rows.where('received_at', '>=', startMs);
    if (endMs !== undefined) rows = rows.where('received_at', '<', endMs);
    if (after !== undefined) {
      const { receivedAt, number } = after;
      rows = rows.where((where) =>
        where(where.refTuple('received_at', 'id'), isAscending ? '>' : '<', where.tuple(receivedAt, number)),
      );
    }
    const order = isAscending ? 'asc' : 'desc';
    return rows
      .select(['id as number', 'capture_id as captureId', 'payload'])
      .select(['requested_at as requestedAt', 'received_at as receivedAt'])
      .orderBy('received_at', order)
      .orderBy('id', order)
      .limit(limit)
      .execute();
  });
}

/** All readings of some captures in the order of time, page by page, so that the memory is bounded. */
export async function* readingsInOrder(
  spans: readonly CaptureSpan[],
  interval: Interval,
  db: Queries,
): AsyncGenerator<readonly ReadingRow[]> {
  for (let after: Position | undefined; ;) {
    const rows = await readingsOfSpans(spans, interval, { limit: ROWS_AT_ONCE, isAscending: true, after }, db);
    if (rows.length > 0) yield rows;
    if (rows.length < ROWS_AT_ONCE) return;
    after = rows.at(-1);
  }
}

/**
 * All readings of some captures, one capture after the other, page by page. Faster than {@link readingsInOrder}, for
 * callers that do not need the order.
 */
export async function* readingsOfCaptures(
  spans: readonly CaptureSpan[],
  interval: Interval,
  db: Queries,
): AsyncGenerator<readonly ReadingRow[]> {
  for (const span of spans) yield* readingsInOrder([span], interval, db);
}

/** How many readings a query selects, and the bytes of their payloads. */
export async function countReadings(query: DataQuery, db: Queries): Promise<{ count: number; bytes: number }> {
  let [count, bytes] = [0, 0];
  const { startMs, endMs } = query;
  for (const span of await spansOf(query, db)) {
    const isWhole = (startMs ?? -Infinity) <= span.first && span.last < (endMs ?? Infinity);
    const part = isWhole ? await wholeCapture(span.id, db) : await partOfCapture(span.id, query, db);
    count += Number(part.count);
    bytes += Number(part.bytes ?? 0);
  }
  return { count, bytes };
}

function wholeCapture(id: number, db: Queries) {
  return db.selectFrom('captures').select(['count', 'bytes']).where('id', '=', id).executeTakeFirstOrThrow();
}

function partOfCapture(id: number, { startMs, endMs }: Interval, db: Queries) {
  let rows = db
    .selectFrom('readings')
    .select((select) => [
      select.fn.countAll<number>().as('count'),
      select.fn.sum<number | null>(select.fn<number>('octet_length', ['payload'])).as('bytes'),
    ])
    .where('capture_id', '=', id);
  if (startMs !== undefined) rows = rows.where('received_at', '>=', startMs);
  if (endMs !== undefined) rows = rows.where('received_at', '<', endMs);
  return rows.executeTakeFirstOrThrow();
}
