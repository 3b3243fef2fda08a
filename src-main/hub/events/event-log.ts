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

/** A position is stored so long after it was reached: what comes meanwhile costs no commit. */
const SAVE_MS = 1_000;
/** What everybody has read is kept so long. */
export const KEPT_MS = 7 * 24 * 60 * 60 * 1_000;
const LOOK_MS = 60 * 60 * 1_000;
/** Events of all parts that are looked through at once for those of one: a few milliseconds. */
const PAST_AT_ONCE = 5_000;
/**
 * PostgreSQL may commit what a killed hub asked for when the next one has already begun, and notices of other hubs may
 * be lost: nobody is told of that then.
 */
export const LATE_MS = 10_000;
/** Any number will do that nothing else in the database locks. */
const ADVISORY_LOCK = 0x41_72_6d_45;

/** Some of what happened, the newest first. */
export interface PastEvents {
  readonly events: readonly HubEvent[];
  /** What happened since was looked through: wall-clock milliseconds. */
  readonly reachedTo: number;
}

/** Somebody who handles every event, and goes on after a restart where it was. */
export interface EventConsumer {
  /** Ends it after the batch under way, and stores how far it has come. */
  close(): Promise<void>;
}

interface Consumer {
  readonly name: string;
  readonly reader: EventReader;
  saved: number;
}

/**
 * What happened in a hub, in the order in which it was committed: written in the
 * transaction that made it happen, so that there is no event of what did not
 * happen, and nothing happened without one.
 */
export class EventLog {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #notices: Notices;
  readonly #happened = new Emitter<HubEvent>();
  readonly #working = new Mutex();
  readonly #consumers = new Set<Consumer>();
  readonly #tail: EventReader;
  #forget: readonly (() => void)[] = [];
  #keeping: Timer | undefined;
  #looking: Timer | undefined;
  #saving: Timer | undefined;

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
   * @param notices of the hubs of the store: of what one of them adds, the others hear
   * @throws where the store cannot be read
   */
  static async open(store: Store, clock: Clock, logger: Logger, notices: Notices = noNotices): Promise<EventLog> {
    return new EventLog(store, clock, logger, notices, await newestIn(store));
  }

  /** Begins to do what is to be done now and then. */
  start(): void {
    const remove = (): Promise<void> => this.#work('Old events are still there', () => this.removeOld());
    this.#keeping = this.#clock.every(LOOK_MS, () => void remove());
    if (this.#store.kind === 'postgres') this.#looking = this.#clock.every(LATE_MS, this.#wake);
    this.#forget = [
      this.#notices.on(({ kind }) => {
        if (kind === 'events') this.#wake();
      }),
      this.#notices.onLost(this.#wake),
    ];
  }

  /**
   * Writes what happens in a transaction. The last thing to be done in it: in PostgreSQL no other event is written
   * before this one is committed.
   */
  async append(events: readonly NewEvent[], tx: WriteTransaction): Promise<void> {
    if (events.length === 0) return;
    // Else a transaction that has a lower number could be committed after one with a higher number was read. The lock
    // ends with the transaction, and numbers come from a sequence, which sees no snapshot. SQLite has one writer anyway.
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
      .returning('id')
      .execute();
    const newest = Math.max(...rows.map(({ id }) => id));
    this.#store.onEnd(tx, (isCommitted) => {
      // Whoever follows from now on wants nothing of it: most changes are stored while nobody looks.
      if (isCommitted && this.#happened.size === 0) this.#tail.pass(newest);
      else this.#tail.wake();
      for (const { reader } of this.#consumers) reader.wake();
      this.#notices.tell({ kind: 'events' });
    });
  }

  /**
   * Calls back with what happens from now on, soon after it is committed and in that order. Returns an unsubscribe
   * function.
   */
  follow(listener: (event: HubEvent) => void): () => void {
    return this.#happened.on(listener);
  }

  /**
   * Has every event handled at least once, in order, over restarts and kills: what was handled in the last second may
   * come again, so handling has to be idempotent. What fails is tried again, and nothing after it comes before.
   * @param name of its position in the store; one that is new begins with what happens from now on
   */
  async consume(name: string, handle: (events: readonly HubEvent[]) => void | Promise<void>): Promise<EventConsumer> {
    const { db } = this.#store;
    const newest = await newestIn(this.#store);
    await db
      .insertInto('event_consumers')
      .values({ name, position: newest })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute();
    const row = db.selectFrom('event_consumers').select('position').where('name', '=', name);
    const { position } = await row.executeTakeFirstOrThrow();
    const reader = this.#reader(name, position, async (events) => {
      await handle(events);
      this.#saving ??= this.#clock.after(SAVE_MS, () => {
        this.#saving = undefined;
        void this.#work('Positions in the events are not stored yet', () => this.#save());
      });
    });
    const consumer: Consumer = { name, reader, saved: position };
    this.#consumers.add(consumer);
    reader.wake();
    return { close: () => this.#end(consumer) };
  }

  /**
   * What happened to a part not before a time, the newest first, as far as it is kept. Each piece takes a short time,
   * may
   * be empty, and is looked for when it is asked for: whoever has no time left stops asking.
   */
  async *past(partId: string, since: number): AsyncGenerator<PastEvents> {
    const { db } = this.#store;
    for (let last = await newestIn(this.#store); ;) {
      const first = last - PAST_AT_ONCE;
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

  /** Has a consumer that this program does not have any more keep events from being removed no longer. */
  async forget(name: string): Promise<void> {
    await this.#store.db.deleteFrom('event_consumers').where('name', '=', name).execute();
  }

  /** Lets go of events that are old and were handled by every consumer there ever was. */
  async removeOld(): Promise<void> {
    await this.#save();
    const { db } = this.#store;
    const positions = await db.selectFrom('event_consumers').select('position').execute();
    const passed = Math.min(Number.MAX_SAFE_INTEGER, ...positions.map(({ position }) => position));
    const old = db.deleteFrom('events').where('id', '<=', passed);
    await old.where('time', '<', this.#clock.now() - KEPT_MS).execute();
  }

  /** Ends all consumers, and stores how far they have come. */
  async close(): Promise<void> {
    this.#keeping?.cancel();
    for (const forget of this.#forget) forget();
    this.#looking?.cancel();
    this.#saving?.cancel();
    await this.#tail.close();
    for (const consumer of this.#consumers) await this.#end(consumer);
    await this.#working.idle();
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

  /** One thing after the other; never rejects. */
  #work(message: string, work: () => Promise<void>): Promise<void> {
    return this.#working.run(work).catch((thrown: unknown) => {
      this.#logger.warn(`${message}: ${toArmatureError(thrown).message}`);
    });
  }

  #reader(name: string, position: number, handle: (events: readonly HubEvent[]) => void | Promise<void>): EventReader {
    const read: EventReaderOptions['read'] = (after, limit) => readAfter(this.#store, after, limit);
    return new EventReader({ name, position, read, handle, clock: this.#clock, logger: this.#logger });
  }
}

async function newestIn({ db }: Store): Promise<number> {
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
