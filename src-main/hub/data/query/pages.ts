import { Order, type DataRequest } from '../../../../proto/gen/core/app/data/v1/data.ts';
import { ArmatureError } from '../../../base/errors.ts';
import type { Queries } from '../../storage/tables.ts';
import type { DataQuery } from './filter.ts';

/** Where a row is: in the order of the times at which data was received, and of its number among the same times. */
export interface Position {
  readonly receivedAt: number;
  readonly number: number;
}

export interface PageRequest {
  readonly limit: number;
  readonly isAscending: boolean;
  /** The page begins after it. */
  readonly after: Position | undefined;
}

/** What is known of a capture without looking at its rows. */
export interface CaptureSpan {
  readonly id: number;
  readonly first: number;
  readonly last: number;
}

/** The first rows of one capture in the order of a page, after its position. */
export type ReadRows<T extends Position> = (capture: CaptureSpan, page: PageRequest) => Promise<readonly T[]>;

const USUAL_PAGE = 50;
const LARGEST_PAGE = 1_000;
const TOKEN = /^(\d{1,16})\.(\d{1,16})$/;

/** The page that a request asks for: the newest first where it says nothing. @throws {ArmatureError} `call.bad_argument` */
export function pageOf(request: DataRequest | undefined): PageRequest {
  const { limit = 0n, last = '', sortOrder = Order.UNSPECIFIED } = request ?? {};
  return {
    limit: limit === 0n ? USUAL_PAGE : Math.min(Number(limit), LARGEST_PAGE),
    isAscending: sortOrder === Order.ASCENDING,
    after: positionOf(last),
  };
}

/** What a client sends to have the page after this row. */
export function tokenOf({ receivedAt, number }: Position): string {
  return `${receivedAt}.${number}`;
}

function positionOf(token: string): Position | undefined {
  if (token === '') return undefined;
  const [, time, number] = TOKEN.exec(token) ?? [];
  if (time !== undefined && number !== undefined) return { receivedAt: Number(time), number: Number(number) };
  throw new ArmatureError(
    'call.bad_argument',
    `"${token.slice(0, 40)}" is none of this hub's: send the "last" of the answer before.`,
  );
}

/** Captures that may have rows of a query. */
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
 * The interval in which rows of a page are. A database looks at one bound on each side: were it that of the query, each
 * page would go through all pages before it.
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
 * A page of the rows of several captures, in the order of time. Reads at most the page's number of rows of each, and
 * none of those that begin after its end: the index of each capture is in that order.
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
