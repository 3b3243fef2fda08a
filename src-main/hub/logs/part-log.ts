import { sql, type Selectable, type SelectQueryBuilder } from 'kysely';
import { KeyedEmitter } from '../../base/async/emitter.ts';
import { Level, type Entry } from '../../../proto/gen/core/log/v1/log.ts';
import { chunksOf } from '../storage/chunks.ts';
import type { Store } from '../storage/store.ts';
import type { PartLogEntriesTable } from './tables.ts';
import type { Tables, WriteTransaction } from '../storage/tables.ts';
import { escapeLike } from '../storage/like.ts';

export type LogRow = Selectable<PartLogEntriesTable>;

/** Selects log entries. What is undefined does not restrict. */
export interface LogQuery {
  readonly levels?: readonly number[] | undefined;
  /** Substring of the logger's name; case does not matter. */
  readonly logger?: string | undefined;
  /** Full name of the resource. */
  readonly resource?: string | undefined;
  /** Substring of the message or of the fields; case does not matter. */
  readonly text?: string | undefined;
  /** Wall-clock milliseconds; the start is included, the end is not. */
  readonly startMs?: number | undefined;
  readonly endMs?: number | undefined;
  /** Positions; both are excluded. */
  readonly after?: number | undefined;
  readonly before?: number | undefined;
}

/** A page of a log, and where the next one begins. */
export interface LogPage {
  /** Newest first from {@link PartLogs.query}, oldest first from {@link PartLogs.ascending}. */
  readonly rows: readonly LogRow[];
  /** Position from which the next page continues, itself excluded; undefined on the last page. */
  readonly next: number | undefined;
  /** Time of the oldest entry that was searched. */
  readonly searchedTo: number | undefined;
}

/** Positions per log: 2^40 entries each, so that 8,192 logs of a part stay below 2^53. */
const LOG_SPAN = 2 ** 40;
/** Rows that one database query searches, so that a search does not delay other queries for long. */
const STRETCH_ROWS = 20_000;
/** A search that has taken this long returns what it has found so far. */
const MAX_SEARCH_MS = 300;
const DELETED_AT_ONCE = 5_000;

/** Logs of all parts. Only parts add entries, and entries are deleted only because of their age. */
export class PartLogs {
  readonly #store: Store;
  readonly #monotonic: () => number;
  readonly #receivedAt: () => number;
  readonly #appended = new KeyedEmitter<readonly LogRow[]>();

  /**
   * @param monotonic milliseconds
   * @param receivedAt clock for the age of entries, milliseconds
   */
  constructor(store: Store, monotonic: () => number, receivedAt: () => number) {
    this.#store = store;
    this.#monotonic = monotonic;
    this.#receivedAt = receivedAt;
  }

  /** Highest sequence number of a log that is stored; 0 if none is. */
  async storedSeq(partId: string, logId: string): Promise<number> {
    const { db } = this.#store;
    const log = await db
      .selectFrom('part_logs')
      .select('stored_seq')
      .where('part_id', '=', partId)
      .where('log_id', '=', logId)
      .executeTakeFirst();
    return log?.stored_seq ?? 0;
  }

  /**
   * Stores entries, which are in the order of their sequence numbers. Entries that are stored already are skipped.
   * @returns the highest sequence number that is stored afterwards
   */
  append(partId: string, logId: string, entries: readonly Entry[]): Promise<number> {
    return this.#append(partId, logId, entries, (entry) => Number(entry.seq));
  }

  /** Stores entries that their sender has not numbered. An entry that is sent twice is stored twice. */
  async appendUnnumbered(partId: string, logId: string, entries: readonly Entry[]): Promise<void> {
    await this.#append(partId, logId, entries, (_entry, last) => last + 1);
  }

  async #append(
    partId: string,
    logId: string,
    entries: readonly Entry[],
    seqOf: (entry: Entry, last: number) => number,
  ): Promise<number> {
    if (entries.length === 0) return this.storedSeq(partId, logId);
    const receivedAt = this.#receivedAt();
    const { rows, storedSeq } = await this.#store.transaction(async (tx) => {
      const { number, stored } = await this.#logOf(partId, logId, tx);
      const added: LogRow[] = [];
      let last = stored;
      for (const entry of entries) {
        const seq = seqOf(entry, last);
        if (seq <= last || seq >= LOG_SPAN) continue;
        last = seq;
        added.push(rowOf(partId, number * LOG_SPAN + seq, receivedAt, entry));
      }
      for (const some of chunksOf(added)) await tx.insertInto('part_log_entries').values(some).execute();
      const log = tx.updateTable('part_logs').set({ stored_seq: last });
      await log.where('part_id', '=', partId).where('log_id', '=', logId).execute();
      return { rows: added, storedSeq: last };
    });
    if (rows.length > 0) this.#appended.emit(partId, rows);
    return storedSeq;
  }

  /** Calls back with the entries that are added to a part's log, oldest first. Returns an unsubscribe function. */
  onAppend(partId: string, listener: (rows: readonly LogRow[]) => void): () => void {
    return this.#appended.on(partId, listener);
  }

  /** Position of the newest entry; 0 if there is none. */
  async newest(partId: string): Promise<number> {
    const row = await this.#ofPart(partId).select('position').orderBy('position', 'desc').limit(1).executeTakeFirst();
    return row?.position ?? 0;
  }

  /**
   * The newest entries that match. Searches the log in stretches and stops after {@link MAX_SEARCH_MS}: a page that is
   * short or empty may still have a next one.
   */
  async query(partId: string, query: LogQuery, limit: number, signal: AbortSignal): Promise<LogPage> {
    const endsAt = this.#monotonic() + MAX_SEARCH_MS;
    const found: LogRow[] = [];
    let before = query.before ?? Number.MAX_SAFE_INTEGER;
    let searchedTo: number | undefined;
    for (;;) {
      const floor = await this.#floor(partId, before, query);
      const stretch = this.#matching(partId, query).where('position', '<', before);
      const rows = await (floor === undefined ? stretch : stretch.where('position', '>=', floor.position))
        .selectAll()
        .orderBy('position', 'desc')
        .limit(limit + 1 - found.length)
        .execute();
      found.push(...rows);
      if (found.length > limit) {
        const shown = found.slice(0, limit);
        const last = shown.at(-1);
        return { rows: shown, next: last?.position, searchedTo: last?.time };
      }
      searchedTo = floor?.time ?? rows.at(-1)?.time ?? searchedTo;
      if (floor === undefined || floor.isLast) return { rows: found, next: undefined, searchedTo };
      before = floor.position;
      if (signal.aborted || this.#monotonic() >= endsAt) return { rows: found, next: before, searchedTo };
    }
  }

  /** The oldest entries that match. */
  async ascending(partId: string, query: LogQuery, limit: number): Promise<LogPage> {
    const rows = await this.#matching(partId, query)
      .selectAll()
      .orderBy('position')
      .limit(limit + 1)
      .execute();
    const shown = rows.slice(0, limit);
    return { rows: shown, next: rows.length > limit ? shown.at(-1)?.position : undefined, searchedTo: undefined };
  }

  /** Deletes the entries that were received before a time, in batches. @returns how many */
  async deleteBefore(timeMs: number): Promise<number> {
    for (let total = 0; ;) {
      const old = this.#store.db
        .selectFrom('part_log_entries')
        .select(['part_id', 'position'])
        .where('received_at', '<', timeMs)
        .limit(DELETED_AT_ONCE);
      const rows = await old.execute();
      for (const [partId, some] of Map.groupBy(rows, ({ part_id }) => part_id)) {
        await this.#store.transaction(async (tx) => {
          const positions = some.map(({ position }) => position);
          const entries = tx.deleteFrom('part_log_entries').where('part_id', '=', partId);
          await entries.where('position', 'in', positions).execute();
        });
      }
      total += rows.length;
      if (rows.length < DELETED_AT_ONCE) return total;
    }
  }

  /**
   * The oldest entry of the stretch that ends before a position. Undefined if all that is left is one stretch: fewer
   * than {@link STRETCH_ROWS} entries are left, or the query has only conditions that an index answers.
   */
  async #floor(
    partId: string,
    before: number,
    query: LogQuery,
  ): Promise<{ readonly position: number; readonly time: number; readonly isLast: boolean } | undefined> {
    const { logger, resource, text, startMs, endMs } = query;
    if ([logger, resource, text, startMs, endMs].every((one) => one === undefined)) return undefined;
    const older = this.#ofPart(partId)
      .select(['position', 'time'])
      .where('position', '<', before)
      .orderBy('position', 'desc')
      .limit(1);
    const row = await older.offset(STRETCH_ROWS - 1).executeTakeFirst();
    if (row === undefined || (query.after !== undefined && row.position <= query.after)) return undefined;
    // Entries are in the order of arrival. A part's clock may be set back, but hardly by more than a day.
    const isLast = startMs !== undefined && row.time < startMs - CLOCK_SLACK_MS;
    return { ...row, isLast };
  }

  #ofPart(partId: string): SelectQueryBuilder<Tables, 'part_log_entries', object> {
    return this.#store.db.selectFrom('part_log_entries').where('part_id', '=', partId);
  }

  #matching(partId: string, query: LogQuery): SelectQueryBuilder<Tables, 'part_log_entries', object> {
    const { levels, logger, resource, text, startMs, endMs, after } = query;
    let rows = this.#ofPart(partId);
    if (levels !== undefined && levels.length > 0) rows = rows.where('level', 'in', levels);
    if (resource !== undefined) rows = rows.where('resource', '=', resource);
    if (startMs !== undefined) rows = rows.where('time', '>=', startMs);
    if (endMs !== undefined) rows = rows.where('time', '<', endMs);
    if (after !== undefined) rows = rows.where('position', '>', after);
    if (logger !== undefined) rows = rows.where(sql<boolean>`lower(logger) LIKE ${escapeLike(logger)} ESCAPE '!'`);
    if (text !== undefined) {
      const pattern = escapeLike(text);
      rows = rows.where(
        sql<boolean>`(lower(message) LIKE ${pattern} ESCAPE '!' OR lower(fields) LIKE ${pattern} ESCAPE '!')`,
      );
    }
    return rows;
  }

  async #logOf(
    partId: string,
    logId: string,
    tx: WriteTransaction,
  ): Promise<{ readonly number: number; readonly stored: number }> {
    const logs = await tx.selectFrom('part_logs').selectAll().where('part_id', '=', partId).execute();
    const known = logs.find(({ log_id }) => log_id === logId);
    if (known !== undefined) return { number: known.log_number, stored: known.stored_seq };
    const number = Math.max(-1, ...logs.map(({ log_number }) => log_number)) + 1;
    const row = { part_id: partId, log_id: logId, log_number: number, stored_seq: 0 };
    await tx.insertInto('part_logs').values(row).execute();
    return { number, stored: 0 };
  }
}

const CLOCK_SLACK_MS = 24 * 60 * 60 * 1_000;

function rowOf(partId: string, position: number, receivedAt: number, entry: Entry): LogRow {
  const { time, level, logger, message, fields, resource, caller, repeatCount, firstTime } = entry;
  return {
    part_id: partId,
    position,
    time: time?.getTime() ?? 0,
    received_at: receivedAt,
    level: level === Level.UNSPECIFIED ? Level.INFO : level,
    logger,
    message,
    fields: JSON.stringify(fields ?? {}),
    resource,
    caller,
    repeat_count: Math.max(1, repeatCount),
    first_time: firstTime?.getTime() ?? null,
  };
}

/** An entry as a message. */
export function entryMessage(row: LogRow): Entry {
  return {
    seq: BigInt(row.position),
    time: new Date(row.time),
    level: row.level as Entry['level'],
    logger: row.logger,
    message: row.message,
    fields: JSON.parse(row.fields) as Record<string, unknown>,
    resource: row.resource,
    caller: row.caller,
    repeatCount: row.repeat_count,
    firstTime: row.first_time === null ? undefined : new Date(row.first_time),
  };
}

/** Whether an entry matches, apart from its position and `endMs`. */
export function isMatch(row: LogRow, { levels, logger, resource, text, startMs }: LogQuery): boolean {
  if (levels !== undefined && levels.length > 0 && !levels.includes(row.level)) return false;
  if (resource !== undefined && row.resource !== resource) return false;
  if (startMs !== undefined && row.time < startMs) return false;
  if (logger !== undefined && !row.logger.toLowerCase().includes(logger.toLowerCase())) return false;
  if (text === undefined) return true;
  const part = text.toLowerCase();
  return row.message.toLowerCase().includes(part) || row.fields.toLowerCase().includes(part);
}
