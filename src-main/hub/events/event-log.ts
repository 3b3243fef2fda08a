import { sql } from 'kysely';
import { Emitter } from '../../base/async/emitter.ts';
import { Mutex } from '../../base/async/mutex.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { toArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { noNotices, type Notices } from '../cluster/notices.ts';
import type { Store } from '../storage/store.ts';
import type { WriteTransaction } from '../storage/tables.ts';
import type { HubEvent, NewEvent } from './event-kinds.ts';
import { EventReader, type EventReaderOptions } from './event-reader.ts';
import type { EventsTable } from './tables.ts';

/** Delay before a position is stored, so that several batches need one commit. */
const SAVE_DELAY_MS = 1_000;
/** How long events are kept that all consumers have handled. */
export const RETENTION_MS = 7 * 24 * 60 * 60 * 1_000;
const CLEANUP_INTERVAL_MS = 60 * 60 * 1_000;
/** How many events of all parts are searched at once for those of one part; takes a few milliseconds. */
const PAST_BATCH_SIZE = 5_000;
/**
 * How often readers poll PostgreSQL for events without a notice: a notice of another hub may be lost, and a transaction
 * of a killed hub may commit after the next hub has started.
 */
export const POLL_MS = 10_000;
/** An arbitrary number that no other advisory lock in the database uses. */
const ADVISORY_LOCK = 0x41_72_6d_45;

/** Some past events, newest first. */
export interface PastEvents {
  readonly events: readonly HubEvent[];
  /** All events since this time were searched: wall-clock milliseconds. */
  readonly reachedTo: number;
}

/** A consumer that handles every event, and continues at its position after a restart. */
export interface EventConsumer {
  /** Stops it after the current batch, and stores its position. */
  close(): Promise<void>;
}

interface Consumer {
  readonly name: string;
  readonly reader: EventReader;
  saved: number;
}

/**
 * The events of a hub, in the order of their commits. Each is written in the transaction that makes the change, so
 * there is an event exactly when there is a change.
 */
export class EventLog {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #notices: Notices;
  readonly #happened = new Emitter<HubEvent>();
  readonly #mutex = new Mutex();
  readonly #consumers = new Set<Consumer>();
  readonly #tail: EventReader;
  #unsubscribes: readonly (() => void)[] = [];
  #cleanupTimer: Timer | undefined;
  #pollTimer: Timer | undefined;
  #saveTimer: Timer | undefined;

  private constructor(store: Store, clock: Clock, logger: Logger, notices: Notices, newest: number) {
    this.#store = store;
    this.#clock = clock;
    this.#logger = logger;
    this.#notices = notices;
    this.#tail = this.#reader('followers', newest, (events) => {
      for (const event of events) this.#happened.emit(event);
    });
  }

  /**
   * @param notices tells the hubs of one store of each other's events
   * @throws if the store cannot be read
   */
  static async open(store: Store, clock: Clock, logger: Logger, notices: Notices = noNotices): Promise<EventLog> {
    return new EventLog(store, clock, logger, notices, await newestEventId(store));
  }

  /** Starts the periodic work. */
  start(): void {
    const remove = (): Promise<void> => this.#work('Old events cannot be deleted now', () => this.removeOld());
    this.#cleanupTimer = this.#clock.every(CLEANUP_INTERVAL_MS, () => void remove());
    if (this.#store.kind === 'postgres') this.#pollTimer = this.#clock.every(POLL_MS, this.#wake);
    this.#unsubscribes = [
      this.#notices.on(({ kind }) => {
        if (kind === 'events') this.#wake();
      }),
      this.#notices.onLost(this.#wake),
    ];
  }

  /**
   * Writes events in a transaction. It must be the last statement of the transaction: in PostgreSQL no other event can
   * be written until this transaction has ended.
   */
  async append(events: readonly NewEvent[], tx: WriteTransaction): Promise<void> {
    if (events.length === 0) return;
    // Without the lock, a transaction with a lower id could commit after one with a higher id was read. The lock ends
    // with the transaction. Ids come from a sequence, which is not part of the snapshot. SQLite has only one writer.
    if (this.#store.kind === 'postgres') await sql`SELECT pg_advisory_xact_lock(${ADVISORY_LOCK})`.execute(tx);
    const time = this.#clock.now();
    const rows = await tx
      .insertInto('events')
      .values(
        events.map(({ kind, organizationId = null, partId = null, payload }) => ({
          kind,
          organization_id: organizationId,
          part_id: partId,
          time,
          payload: JSON.stringify(payload),
        })),
      )
      .returningAll()
      .execute();
    const written = rows.sort((one, other) => one.id - other.id).map(eventOf);
    this.#store.onEnd(tx, (isCommitted) => {
      const committed = isCommitted ? written : [];
      // Without followers nothing has to be read: most changes are stored while nobody follows.
      if (isCommitted && this.#happened.size === 0) this.#tail.pass(written.at(-1)?.id ?? 0);
      else this.#tail.wake(committed);
      for (const { reader } of this.#consumers) reader.wake(committed);
      this.#notices.tell({ kind: 'events' });
    });
  }

  /** Calls back with new events, in the order of their commits and soon after them. Returns an unsubscribe function. */
  follow(listener: (event: HubEvent) => void): () => void {
    return this.#happened.on(listener);
  }

  /**
   * Handles every event at least once, in order, across restarts and crashes. Events of the last second may come again,
   * so `handle` has to be idempotent. A failed batch is retried before any later event.
   * @param name of its position in the store; a new name starts with the next event
   */
  async consume(name: string, handle: (events: readonly HubEvent[]) => void | Promise<void>): Promise<EventConsumer> {
    const { db } = this.#store;
    const newest = await newestEventId(this.#store);
    await db
      .insertInto('event_consumers')
      .values({ name, position: newest })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute();
    const row = db.selectFrom('event_consumers').select('position').where('name', '=', name);
    const { position } = await row.executeTakeFirstOrThrow();
    const reader = this.#reader(name, position, async (events) => {
      await handle(events);
      this.#saveTimer ??= this.#clock.after(SAVE_DELAY_MS, () => {
        this.#saveTimer = undefined;
        void this.#work('Positions in the events are not stored yet', () => this.#save());
      });
    });
    const consumer: Consumer = { name, reader, saved: position };
    this.#consumers.add(consumer);
    reader.wake();
    return { close: () => this.#end(consumer) };
  }

  /**
   * Past events of a part since a time, newest first, as far as they are kept. Each item takes a short time to find,
   * may be empty, and is only searched when it is requested, so a caller can stop at any time.
   */
  async *past(partId: string, since: number): AsyncGenerator<PastEvents> {
    const { db } = this.#store;
    for (let last = await newestEventId(this.#store); ;) {
      const first = last - PAST_BATCH_SIZE;
      const rows = await db
        .selectFrom('events')
        .selectAll()
        .where('id', '>', first)
        .where('id', '<=', last)
        .where('part_id', '=', partId)
        .where('time', '>=', since)
        .orderBy('id', 'desc')
        .execute();
      const older = await db
        .selectFrom('events')
        .select(['id', 'time'])
        .where('id', '<=', first)
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst();
      const isEnd = older === undefined || older.time < since;
      yield { events: rows.map(eventOf), reachedTo: isEnd ? since : older.time };
      if (isEnd) return;
      last = older.id;
    }
  }

  /** Removes a consumer that this program no longer has, so that it no longer keeps events from being deleted. */
  async forget(name: string): Promise<void> {
    await this.#store.db.deleteFrom('event_consumers').where('name', '=', name).execute();
  }

  /** Deletes old events that every known consumer has handled. */
  async removeOld(): Promise<void> {
    await this.#save();
    const { db } = this.#store;
    const positions = await db.selectFrom('event_consumers').select('position').execute();
    const passed = Math.min(Number.MAX_SAFE_INTEGER, ...positions.map(({ position }) => position));
    const old = db.deleteFrom('events').where('id', '<=', passed);
    await old.where('time', '<', this.#clock.now() - RETENTION_MS).execute();
  }

  /** Stops all consumers, and stores their positions. */
  async close(): Promise<void> {
    this.#cleanupTimer?.cancel();
    for (const unsubscribe of this.#unsubscribes) unsubscribe();
    this.#pollTimer?.cancel();
    this.#saveTimer?.cancel();
    await this.#tail.close();
    for (const consumer of this.#consumers) await this.#end(consumer);
    await this.#mutex.idle();
  }

  readonly #wake = (): void => {
    this.#tail.wake();
    for (const { reader } of this.#consumers) reader.wake();
  };

  async #end(consumer: Consumer): Promise<void> {
    await consumer.reader.close();
    await this.#work('Positions in the events are not stored', () => this.#save());
    this.#consumers.delete(consumer);
  }

  async #save(): Promise<void> {
    for (const consumer of this.#consumers) {
      const { position } = consumer.reader;
      if (position === consumer.saved) continue;
      const row = this.#store.db.updateTable('event_consumers').set({ position }).where('name', '=', consumer.name);
      await row.execute();
      consumer.saved = position;
    }
  }

  /** Runs one task after the other; never rejects. */
  #work(message: string, work: () => Promise<void>): Promise<void> {
    return this.#mutex.run(work).catch((thrown: unknown) => {
      this.#logger.warn(`${message}: ${toArmatureError(thrown).message}`);
    });
  }

  #reader(name: string, position: number, handle: (events: readonly HubEvent[]) => void | Promise<void>): EventReader {
    const read: EventReaderOptions['read'] = (after, limit) => readAfter(this.#store, after, limit);
    return new EventReader({ name, position, read, handle, clock: this.#clock, logger: this.#logger });
  }
}

async function newestEventId({ db }: Store): Promise<number> {
  const row = await db.selectFrom('events').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst();
  return row?.id ?? 0;
}

async function readAfter({ db }: Store, after: number, limit: number): Promise<HubEvent[]> {
  const rows = await db.selectFrom('events').selectAll().where('id', '>', after).orderBy('id').limit(limit).execute();
  return rows.map(eventOf);
}

function eventOf({ id, kind, organization_id, part_id, time, payload }: Omit<EventsTable, 'id'> & { id: number }) {
  return {
    id,
    kind,
    time,
    ...(organization_id === null ? {} : { organizationId: organization_id }),
    ...(part_id === null ? {} : { partId: part_id }),
    payload: JSON.parse(payload) as unknown,
  } as HubEvent;
}
