import { Order, type DataRequest } from '../../../../proto/gen/core/app/data/v1/data.ts';
import { ArmatureError } from '../../../base/errors.ts';
import type { Queries } from '../../storage/tables.ts';
import type { DataQuery } from './filter.ts';

/**
 * Position of a row. Rows are in the order of the time received, and rows with the same time in that of their numbers.
 */
export interface Position {
  readonly receivedAt: number;
  readonly number: number;
}

export interface PageRequest {
  readonly limit: number;
  readonly isAscending: boolean;
  /** The page begins after this position. */
  readonly after: Position | undefined;
}

/** A capture, with the times of its first and last row. */
export interface CaptureSpan {
  readonly id: number;
  readonly first: number;
  readonly last: number;
}

/** Reads the first rows of one capture that belong to a page, in its order and after its position. */
export type ReadRows<T extends Position> = (capture: CaptureSpan, page: PageRequest) => Promise<readonly T[]>;

const DEFAULT_PAGE_ROWS = 50;
const MAX_PAGE_ROWS = 1_000;
const TOKEN = /^(\d{1,16})\.(\d{1,16})$/;

/**
 * The page that a request asks for; without an order, the newest rows first.
 * @throws {ArmatureError} `call.bad_argument`
 */
export function pageOf(request: DataRequest | undefined): PageRequest {
  const { limit = 0n, last = '', sortOrder = Order.UNSPECIFIED } = request ?? {};
  return {
    limit: limit === 0n ? DEFAULT_PAGE_ROWS : Math.min(Number(limit), MAX_PAGE_ROWS),
    isAscending: sortOrder === Order.ASCENDING,
    after: positionOf(last),
  };
}

/** Page token for the page after this row. */
export function tokenOf({ receivedAt, number }: Position): string {
  return `${receivedAt}.${number}`;
}

function positionOf(token: string): Position | undefined {
  if (token === '') return undefined;
  const [, time, number] = TOKEN.exec(token) ?? [];
  if (time !== undefined && number !== undefined) return { receivedAt: Number(time), number: Number(number) };
  throw new ArmatureError(
    'call.bad_argument',
    `"${token.slice(0, 40)}" is not a page token of this hub: send the "last" of the previous answer.`,
  );
}

/** Captures that may have rows that a query selects. */
export async function spansOf({ isBinary, capture, startMs, endMs }: DataQuery, db: Queries): Promise<CaptureSpan[]> {
  let rows = db
    .selectFrom('captures')
    .select(['captures.id', 'captures.first_at as first', 'captures.last_at as last'])
    .where('captures.is_binary', '=', isBinary ? 1 : 0)
    .where('captures.first_at', 'is not', null)
    .where(capture);
  if (startMs !== undefined) rows = rows.where('captures.last_at', '>=', startMs);
  if (endMs !== undefined) rows = rows.where('captures.first_at', '<', endMs);
  return (await rows.execute()).map(({ id, first, last }) => ({ id, first: first ?? 0, last: last ?? 0 }));
}

/**
 * The interval that contains the rows of a page. The database seeks to its bound: with the bound of the whole query, it
 * would read the rows of all earlier pages again for each page.
 */
export function boundsOf(
  { startMs, endMs }: Pick<DataQuery, 'startMs' | 'endMs'>,
  { after, isAscending }: PageRequest,
): Pick<DataQuery, 'startMs' | 'endMs'> {
  if (after === undefined) return { startMs, endMs };
  const { receivedAt } = after;
  if (isAscending) return { startMs: Math.max(startMs ?? receivedAt, receivedAt), endMs };
  return { startMs, endMs: Math.min(endMs ?? Infinity, receivedAt + 1) };
}

/**
 * A page of the rows of several captures, in the order of time. Reads at most `limit` rows of each capture, and skips
 * captures that begin after the end of the page.
 */
export async function readPage<T extends Position>(
  spans: readonly CaptureSpan[],
  page: PageRequest,
  read: ReadRows<T>,
): Promise<T[]> {
  const { isAscending, after, limit } = page;
  const begins = (span: CaptureSpan): number => (isAscending ? span.first : -span.last);
  const ends = (span: CaptureSpan): number => (isAscending ? span.last : -span.first);
  const sign = isAscending ? 1 : -1;
  const order = (a: Position, b: Position): number => sign * (a.receivedAt - b.receivedAt || a.number - b.number);
  const from = after === undefined ? -Infinity : sign * after.receivedAt;
  let rows: T[] = [];
  for (const span of [...spans].sort((a, b) => begins(a) - begins(b))) {
    const last = rows.at(-1);
    if (rows.length >= limit && last !== undefined && begins(span) > sign * last.receivedAt) break;
    if (ends(span) < from) continue;
    const more = await read(span, page);
    if (more.length > 0) rows = [...rows, ...more].sort(order).slice(0, limit);
  }
  return rows;
}
