import { onAbort } from '../../base/async/abort.ts';
import { AsyncQueue } from '../../base/async/async-queue.ts';
import { ArmatureError } from '../../base/errors.ts';
import type { Filter, LogServiceDefinition, TailResponse } from '../../../proto/gen/core/log/v1/log.ts';
import type { Caller } from '../access/caller.ts';
import type { Store } from '../storage/store.ts';
import { entryMessage, isMatch, type LogQuery, type LogRow, type PartLogs } from './part-log.ts';
import type { HubHandlers } from '../access/guarded.ts';

const DEFAULT_PAGE_ENTRIES = 100;
const MAX_PAGE_ENTRIES = 1_000;
/** Entries that are queued for one reader of a tail. Further ones are dropped for that reader, and counted. */
const MAX_QUEUED_ENTRIES = 5_000;
const MAX_BATCH_ENTRIES = 500;

/** Converts a filter of the wire. */
export function logQueryOf(filter: Filter | undefined): LogQuery {
  const orUndefined = (text: string | undefined): string | undefined => (text === '' ? undefined : text);
  const position = (seq: bigint | undefined): number | undefined =>
    seq === undefined || seq === 0n ? undefined : Number(seq);
  return {
    levels: (filter?.levels ?? []).filter((level) => level !== 0),
    logger: orUndefined(filter?.logger),
    resource: orUndefined(filter?.resource),
    text: orUndefined(filter?.text),
    startMs: filter?.start?.getTime(),
    endMs: filter?.end?.getTime(),
    after: position(filter?.afterSeq),
    before: position(filter?.beforeSeq),
  };
}

/** `core.log.v1.LogService` for the logs that parts have sent, which are kept for 30 days. */
export function logService(store: Store, logs: PartLogs): HubHandlers<typeof LogServiceDefinition> {
  const require = (caller: Caller, partId: string): Promise<unknown> =>
    caller.require('logs.read', { type: 'part', id: partId }, store.db);

  return {
    async query({ partId, filter, limit, pageToken, newestFirst }, caller, call) {
      await require(caller, partId);
      const query = logQueryOf(filter);
      const from = positionOf(pageToken);
      const before = from === undefined ? query.before : Math.min(from, query.before ?? from);
      const count = limit === 0 ? DEFAULT_PAGE_ENTRIES : Math.min(limit, MAX_PAGE_ENTRIES);
      const page = await logs.query(partId, { ...query, before }, count, call.signal);
      const entries = page.rows.map(entryMessage);
      return {
        entries: newestFirst ? entries : entries.reverse(),
        nextPageToken: page.next === undefined ? '' : String(page.next),
        unreadable: [],
        searchedTo: page.searchedTo === undefined ? undefined : new Date(page.searchedTo),
      };
    },

    async *tail({ partId, filter, backlog }, caller, call): AsyncGenerator<TailResponse> {
      await require(caller, partId);
      const { before: _before, endMs: _endMs, ...query } = logQueryOf(filter);
      // Subscribes before it reads the backlog, so that it misses no entry; entries in both are sent once.
      const tail = new Tail(query);
      const unsubscribers = [logs.onAppend(partId, (rows) => tail.add(rows)), onAbort(call.signal, () => tail.end())];
      try {
        const newest = await logs.newest(partId);
        const wanted = Math.min(backlog, MAX_PAGE_ENTRIES);
        const { rows } = wanted === 0 ? { rows: [] } : await logs.query(partId, query, wanted, call.signal);
        yield { entries: rows.map(entryMessage).reverse(), dropped: 0n, lastSeq: BigInt(newest) };
        for await (const batch of tail.rows(rows[0]?.position ?? 0)) {
          const dropped = batch.length === 0 ? tail.takeDropped() : 0;
          yield { entries: batch.map(entryMessage), dropped: BigInt(dropped), lastSeq: 0n };
        }
      } finally {
        for (const unsubscribe of unsubscribers) unsubscribe();
      }
    },
  };
}

/** Queue of the entries that were added to a log and that one reader has not received yet. */
export class Tail {
  readonly #query: LogQuery;
  readonly #rows = new AsyncQueue<LogRow>();
  #dropped = 0;

  constructor(query: LogQuery) {
    this.#query = query;
  }

  add(rows: readonly LogRow[]): void {
    for (const row of rows) {
      if (!isMatch(row, this.#query)) continue;
      if (this.#rows.size >= MAX_QUEUED_ENTRIES) this.#dropped++;
      else this.#rows.push(row);
    }
  }

  end(): void {
    this.#rows.end();
  }

  /** How many entries were dropped since the last call. */
  takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }

  /**
   * Batches of the queued entries. An empty batch means that entries were dropped at this point.
   * @param after position of the last entry that the reader has
   */
  async *rows(after: number): AsyncGenerator<readonly LogRow[]> {
    let batch: LogRow[] = [];
    for await (const row of this.#rows) {
      if (row.position > after) batch.push(row);
      if (this.#rows.size > 0 && batch.length < MAX_BATCH_ENTRIES) continue;
      if (batch.length > 0) yield batch;
      batch = [];
      if (this.#dropped > 0 && this.#rows.size === 0) yield [];
    }
  }
}

function positionOf(pageToken: string): number | undefined {
  if (pageToken === '') return undefined;
  const position = Number(pageToken);
  if (Number.isSafeInteger(position) && position > 0) return position;
  throw new ArmatureError('call.bad_argument', `The page token "${pageToken.slice(0, 40)}" is not from this service.`);
}
