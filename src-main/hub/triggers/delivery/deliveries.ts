import { randomText } from '../../places/ids.ts';
import type { Store } from '../../storage/store.ts';
import type { Queries, WriteTransaction } from '../../storage/tables.ts';
import { notFound } from '../../places/fleet-errors.ts';
import type { Notification } from '../../../../proto/config/triggers/trigger.ts';
import { targetKey } from '../target-key.ts';
import type { DeliveriesTable } from '../tables.ts';
import { laneOf, MAIL_LANE } from './lane.ts';
import { MAX_RETRY_AFTER_MS } from './retry-schedule.ts';
import type { StoredRequest, StoredResponse } from './stored-request.ts';

/** A stored delivery. */
export type Delivery = Omit<DeliveriesTable, 'number'> & { readonly number: number };

/** Waiting deliveries of one part. Further notifications are dropped and counted. */
export const MAX_QUEUED = 10_000;
/** How long finished deliveries are kept. */
export const KEPT_MS = 30 * 24 * 60 * 60 * 1_000;
/** 36^22 ids make collisions practically impossible. */
const ID_LENGTH = 22;

/**
 * No delivery waits longer. One that seems to was queued by a hub whose time was ahead, before a backup was restored,
 * and is due.
 */
const MAX_WAIT_MS = MAX_RETRY_AFTER_MS + 60 * 60 * 1_000;

/** Whether it is time for an attempt. */
export function isDue(nextAt: number, now: number): boolean {
  return nextAt <= now || nextAt > now + MAX_WAIT_MS;
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
  /** When the first attempt is due, in the time of retries. */
  readonly dueAt: number;
}

/** Which deliveries of a part to list. */
export interface DeliveryRange {
  readonly triggerName?: string | undefined;
  readonly state?: DeliveriesTable['state'] | undefined;
  /** Only deliveries with a lower number. */
  readonly before?: number | undefined;
  readonly limit: number;
}

/** A lane with waiting deliveries. */
export interface WaitingLane {
  readonly lane: string;
  /** When the first delivery is due. */
  readonly nextAt: number;
  readonly count: number;
}

/** The result of an attempt. */
export interface AttemptResult {
  readonly state: DeliveriesTable['state'];
  /** When the next attempt is due, in the time of retries; null unless `queued`. */
  readonly nextAt: number | null;
  readonly failure: string;
  readonly response: StoredResponse | undefined;
  readonly now: number;
}

/** Stores the queue of notifications and the results of finished ones. */
export class Deliveries {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Queues a delivery, unless its event has already queued it. @returns its id; undefined if it was already queued */
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

  /** Number of waiting deliveries of a part. */
  async countQueued(partId: string, db: Queries): Promise<number> {
    const row = await db
      .selectFrom('deliveries')
      .select((query) => query.fn.countAll<number>().as('count'))
      .where('part_id', '=', partId)
      .where('state', '=', 'queued')
      .executeTakeFirstOrThrow();
    return Number(row.count);
  }

  /** Lanes with waiting deliveries, longest due first. Deliveries that are being sent count until they are finished. */
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

  /** Ids of due deliveries in a lane, longest due first. */
  async due(lane: string, now: number, limit: number): Promise<string[]> {
    const rows = await this.#store.db
      .selectFrom('deliveries')
      .select('id')
      .where('state', '=', 'queued')
      .where('lane', '=', lane)
      .where((is) => is.or([is('next_at', '<=', now), is('next_at', '>', now + MAX_WAIT_MS)]))
      .orderBy('next_at')
      .orderBy('number')
      .limit(limit)
      .execute();
    return rows.map(({ id }) => id);
  }

  /** A delivery that is due for an attempt; undefined if it was deleted, is finished, or is due later. */
  async toTry(id: string, now: number): Promise<Delivery | undefined> {
    const row = await this.#store.db.selectFrom('deliveries').selectAll().where('id', '=', id).executeTakeFirst();
    return row?.state === 'queued' && isDue(row.next_at ?? 0, now) ? row : undefined;
  }

  /** Stores the result of an attempt. Does nothing if the delivery was deleted. */
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

  /** Deliveries of a part, newest first. */
  list(partId: string, { triggerName, state, before, limit }: DeliveryRange): Promise<Delivery[]> {
    let query = this.#store.db.selectFrom('deliveries').selectAll().where('part_id', '=', partId);
    if (triggerName !== undefined) query = query.where('trigger_name', '=', triggerName);
    if (state !== undefined) query = query.where('state', '=', state);
    if (before !== undefined) query = query.where('number', '<', before);
    return query.orderBy('number', 'desc').limit(limit).execute();
  }

  /** Queues a delivery again, as the same message. For a waiting one the next attempt is due at once. */
  async replay(id: string, dueAt: number): Promise<void> {
    await this.#store.db
      .updateTable('deliveries')
      .set({ state: 'queued', attempts: 0, next_at: dueAt, finished_at: null, failure: '', response: '' })
      .where('id', '=', id)
      .execute();
  }

  /** Makes all waiting e-mails due at once, because the mail server was set. */
  async retryMail(dueAt: number): Promise<void> {
    const waiting = this.#store.db.updateTable('deliveries').set({ next_at: dueAt });
    await waiting.where('state', '=', 'queued').where('lane', '=', MAIL_LANE).execute();
  }

  /** Deletes deliveries that finished long ago. */
  async removeOld(now: number): Promise<void> {
    await this.#store.db
      .deleteFrom('deliveries')
      .where('finished_at', '<', now - KEPT_MS)
      .execute();
  }
}
