import { randomText } from '../../places/ids.ts';
import type { Store } from '../../storage/store.ts';
import type { Queries, WriteTransaction } from '../../storage/tables.ts';
import { notFound } from '../../places/fleet-errors.ts';
import type { Notification } from '../../../../proto/config/triggers/trigger.ts';
import { targetKey } from '../target-key.ts';
import type { DeliveriesTable } from '../tables.ts';
import { laneOf, MAIL_LANE } from './lane.ts';
import { LONGEST_RETRY_AFTER_MS } from './retry-schedule.ts';
import type { StoredRequest, StoredResponse } from './stored-request.ts';

/** A delivery as it is stored. */
export type Delivery = Omit<DeliveriesTable, 'number'> & { readonly number: number };

/** Deliveries of one part that wait; what comes beyond is dropped, and counted. */
export const MOST_QUEUED = 10_000;
/** Those that are over are kept so long. */
export const KEPT_MS = 30 * 24 * 60 * 60 * 1_000;
/** 36^22 is beyond any collision. */
const ID_LENGTH = 22;

/** Nothing waits longer: what seems to was queued by a hub whose time was ahead, before a backup was restored. */
const LONGEST_WAIT_MS = LONGEST_RETRY_AFTER_MS + 60 * 60 * 1_000;

/** Whether it is time for a try. */
export function isDue(nextAt: number, now: number): boolean {
  return nextAt <= now || nextAt > now + LONGEST_WAIT_MS;
}

export interface NewDelivery {
  readonly partId: string;
  /** Undefined for a test. */
  readonly eventId: number | undefined;
  readonly triggerName: string;
  readonly eventType: DeliveriesTable['event_type'];
  readonly notification: Notification;
  readonly request: StoredRequest;
  readonly isLate: boolean;
  readonly happenedAt: number;
  /** Wall-clock milliseconds. */
  readonly now: number;
  /** From when on it may be tried, in the time of retries. */
  readonly dueAt: number;
}

/** Which deliveries of a part to list: newest first. */
export interface DeliveryRange {
  readonly triggerName?: string | undefined;
  readonly state?: DeliveriesTable['state'] | undefined;
  /** Only those with a lower number. */
  readonly before?: number | undefined;
  readonly limit: number;
}

/** What waits in one lane. */
export interface WaitingLane {
  readonly lane: string;
  /** When the first of it is due. */
  readonly nextAt: number;
  readonly count: number;
}

/** What became of a try. */
export interface AttemptResult {
  readonly state: DeliveriesTable['state'];
  /** Of `queued`, in the time of retries. */
  readonly nextAt: number | null;
  readonly failure: string;
  readonly response: StoredResponse | undefined;
  readonly now: number;
}

/** The queue of notifications, and what became of those that were sent. */
export class Deliveries {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Puts one in the queue, unless its event has it there already. @returns its id; undefined where it is there */
  async add(delivery: NewDelivery, tx: WriteTransaction): Promise<string | undefined> {
    const { partId, eventId, triggerName, eventType, notification, request, isLate, happenedAt, now, dueAt } = delivery;
    const id = `msg_${randomText(ID_LENGTH)}`;
    const added = await tx
      .insertInto('deliveries')
      .values({
        id,
        part_id: partId,
        event_id: eventId ?? null,
        trigger_name: triggerName,
        event_type: eventType,
        kind: notification.type,
        target: notification.value,
        target_key: targetKey(notification),
        lane: laneOf(notification),
        state: 'queued',
        is_late: isLate ? 1 : 0,
        is_test: eventId === undefined ? 1 : 0,
        happened_at: happenedAt,
        created_at: now,
        request: JSON.stringify(request),
        attempts: 0,
        next_at: dueAt,
        finished_at: null,
        failure: '',
        response: '',
      })
      .onConflict((conflict) => conflict.columns(['event_id', 'part_id', 'trigger_name', 'target_key']).doNothing())
      .returning('id')
      .executeTakeFirst();
    return added?.id;
  }

  /** How many of a part wait. */
  async countQueued(partId: string, db: Queries): Promise<number> {
    const row = await db
      .selectFrom('deliveries')
      .select((query) => query.fn.countAll<number>().as('count'))
      .where('part_id', '=', partId)
      .where('state', '=', 'queued')
      .executeTakeFirstOrThrow();
    return Number(row.count);
  }

  /** Lanes in which something waits, the longest due first. What is being sent waits too, until it is stored what became of it. */
  async lanes(): Promise<readonly WaitingLane[]> {
    const rows = await this.#store.db
      .selectFrom('deliveries')
      .select((query) => ['lane', query.fn.min('next_at').as('next_at'), query.fn.countAll<number>().as('count')])
      .where('state', '=', 'queued')
      .groupBy('lane')
      .execute();
    return rows
      .map(({ lane, next_at, count }) => ({ lane, nextAt: Number(next_at ?? 0), count: Number(count) }))
      .sort((a, b) => a.nextAt - b.nextAt);
  }

  /** Ids of what is due in a lane, the longest due first. */
  async due(lane: string, now: number, limit: number): Promise<string[]> {
    const rows = await this.#store.db
      .selectFrom('deliveries')
      .select('id')
      .where('state', '=', 'queued')
      .where('lane', '=', lane)
      .where((is) => is.or([is('next_at', '<=', now), is('next_at', '>', now + LONGEST_WAIT_MS)]))
      .orderBy('next_at')
      .orderBy('number')
      .limit(limit)
      .execute();
    return rows.map(({ id }) => id);
  }

  /** A delivery that is still to be tried; undefined where it is gone, over, or to be tried later. */
  async toTry(id: string, now: number): Promise<Delivery | undefined> {
    const row = await this.#store.db.selectFrom('deliveries').selectAll().where('id', '=', id).executeTakeFirst();
    return row?.state === 'queued' && isDue(row.next_at ?? 0, now) ? row : undefined;
  }

  /** Stores what became of a try; nothing where the delivery is gone. */
  async finish({ id, attempts }: Delivery, result: AttemptResult): Promise<void> {
    const { state, nextAt, failure, response, now } = result;
    await this.#store.db
      .updateTable('deliveries')
      .set({
        state,
        attempts: attempts + 1,
        next_at: nextAt,
        finished_at: state === 'queued' ? null : now,
        failure,
        response: response === undefined ? '' : JSON.stringify(response),
      })
      .where('id', '=', id)
      .execute();
  }

  /** @throws {ArmatureError} `call.not_found` */
  async get(id: string): Promise<Delivery> {
    const row = await this.#store.db.selectFrom('deliveries').selectAll().where('id', '=', id).executeTakeFirst();
    if (row === undefined) throw notFound('delivery', id);
    return row;
  }

  list(partId: string, { triggerName, state, before, limit }: DeliveryRange): Promise<Delivery[]> {
    let query = this.#store.db.selectFrom('deliveries').selectAll().where('part_id', '=', partId);
    if (triggerName !== undefined) query = query.where('trigger_name', '=', triggerName);
    if (state !== undefined) query = query.where('state', '=', state);
    if (before !== undefined) query = query.where('number', '<', before);
    return query.orderBy('number', 'desc').limit(limit).execute();
  }

  /** Puts one in the queue again, as the same message. One that waits is tried at once. */
  async replay(id: string, dueAt: number): Promise<void> {
    await this.#store.db
      .updateTable('deliveries')
      .set({ state: 'queued', attempts: 0, next_at: dueAt, finished_at: null, failure: '', response: '' })
      .where('id', '=', id)
      .execute();
  }

  /** Has every e-mail that waits tried at once: the server that it goes by was set. */
  async retryMail(dueAt: number): Promise<void> {
    const waiting = this.#store.db.updateTable('deliveries').set({ next_at: dueAt });
    await waiting.where('state', '=', 'queued').where('lane', '=', MAIL_LANE).execute();
  }

  /** Lets go of those that have long been over. */
  async removeOld(now: number): Promise<void> {
    await this.#store.db
      .deleteFrom('deliveries')
      .where('finished_at', '<', now - KEPT_MS)
      .execute();
  }
}
