import type { Notification, Trigger } from '../../../proto/config/triggers/trigger.ts';
import type { Clock } from '../../base/clock.ts';
import type { HubEvent } from '../events/event-kinds.ts';
import type { EventConsumer, EventLog } from '../events/event-log.ts';
import { readSetting } from '../storage/settings.ts';
import type { Store } from '../storage/store.ts';
import type { WriteTransaction } from '../storage/tables.ts';
import { MOST_QUEUED, type Deliveries } from './delivery/deliveries.ts';
import type { StoredRequest } from './delivery/stored-request.ts';
import { verdictOf, type Firing, type PartNames, type Verdict } from './firing.ts';
import { mailRequest } from './mail-text.ts';
import type { PartTriggers } from './part-triggers.ts';
import type { Reading, ReadingsOf } from './readings.ts';
import { webhookRequest } from './request.ts';
import { targetKey } from './target-key.ts';
import { PartRecords, type KeptEvaluation } from './trigger-records.ts';

/** What is noticed so long after it happened is late. */
export const LATE_MS = 60_000;
/** Name of the position in the events, and of the setting with the last event whose effects are stored. */
const CONSUMER = 'triggers';
const HANDLED = 'triggers_handled';
/** An event that seems to have happened so long before the last one: the hub's time was ahead, before a backup was restored. */
const SET_BACK_MS = 60_000;

export interface TriggerEngineOptions {
  readonly store: Store;
  readonly events: EventLog;
  readonly parts: PartTriggers;
  readonly deliveries: Deliveries;
  readonly readingsOf: ReadingsOf;
  readonly clock: Clock;
  /** The time of limits and retries, milliseconds: only grows, and goes on where somebody sets the clock back. */
  readonly age: () => number;
  /** Something was put in the queue. */
  readonly onQueued: () => void;
}

/** An event with a trigger that is about it. */
interface Case {
  readonly event: HubEvent;
  readonly trigger: Trigger;
  readonly names: PartNames;
  readonly verdict: Verdict;
}

/** Finds out for each event which triggers fire, and queues who is to be told. */
export class TriggerEngine {
  readonly #options: TriggerEngineOptions;
  #consumer: EventConsumer | undefined;

  constructor(options: TriggerEngineOptions) {
    this.#options = options;
  }

  /** Goes on after the last event that was handled. Throws where the store cannot be read. */
  async start(): Promise<void> {
    this.#consumer = await this.#options.events.consume(CONSUMER, (events) => this.handle(events));
  }

  async close(): Promise<void> {
    await this.#consumer?.close();
  }

  /** Handles events in their order. What was handled before, by this or an earlier program, has no effect. */
  async handle(events: readonly HubEvent[]): Promise<void> {
    const cases = await this.#cases(events);
    if (cases.length === 0) return;
    const { store, onQueued } = this.#options;
    const queued = await store.transaction((tx) => this.#store(cases, tx));
    if (queued > 0) onQueued();
  }

  async #cases(events: readonly HubEvent[]): Promise<Case[]> {
    const { parts, readingsOf } = this.#options;
    const concerned = events.filter(({ kind }) => kind.startsWith('part.') || kind === 'data.ingested');
    const partIds = [...new Set(concerned.flatMap(({ partId }) => partId ?? []))];
    const found = await parts.of(partIds);
    const cases: Case[] = [];
    for (const event of concerned) {
      const part = found.get(event.partId ?? '');
      // Read once for all triggers of the part, and not where none wants them.
      let asked: Promise<readonly Reading[]> | undefined;
      const readings = (): Promise<readonly Reading[]> =>
        (asked ??= event.kind === 'data.ingested' ? readingsOf(event.payload.uploadId) : Promise.resolve([]));
      for (const trigger of part?.triggers ?? []) {
        const verdict = await verdictOf(trigger, event, readings);
        if (part !== undefined && verdict !== undefined) cases.push({ event, trigger, names: part.names, verdict });
      }
    }
    // After an outage of the hub somebody reads first that it began, and then that it is over.
    return cases.sort((a, b) => a.event.id - b.event.id || Number(isOnline(a)) - Number(isOnline(b)));
  }

  /** @returns how many notifications were queued */
  async #store(cases: readonly Case[], tx: WriteTransaction): Promise<number> {
    const handled = Number((await readSetting(tx, HANDLED)) ?? 0);
    const fresh = cases.filter(({ event }) => event.id > handled);
    const last = fresh.at(-1);
    if (last === undefined) return 0;
    let queued = 0;
    for (const [partId, ofPart] of Map.groupBy(fresh, ({ names }) => names.partId)) {
      // It may have been deleted since.
      const part = await tx.selectFrom('parts').select('id').where('id', '=', partId).executeTakeFirst();
      if (part === undefined) continue;
      const records = await PartRecords.read(tx, partId);
      let room = MOST_QUEUED - (await this.#options.deliveries.countQueued(partId, tx));
      for (const one of ofPart) {
        const count = await this.#settle(one, this.#ageOf(one.event), records, room, tx);
        room -= count;
        queued += count;
      }
      await records.write(tx);
    }
    await tx.deleteFrom('settings').where('name', '=', HANDLED).execute();
    await tx
      .insertInto('settings')
      .values({ name: HANDLED, value: String(last.event.id) })
      .execute();
    return queued;
  }

  /** When an event happened, in the time of limits. One that seems to come later was noted before the clock was set back. */
  #ageOf({ time }: HubEvent): number {
    const { clock, age } = this.#options;
    return age() - Math.max(0, clock.now() - time);
  }

  /**
   * @param at when it happened, in the time of limits
   * @returns how many notifications were queued
   */
  async #settle(one: Case, at: number, records: PartRecords, room: number, tx: WriteTransaction): Promise<number> {
    const { event, trigger, verdict } = one;
    const { firing } = verdict;
    const reasons: string[] = [];
    let queued = 0;
    for (const notification of firing === undefined ? [] : trigger.notifications) {
      const key = targetKey(notification);
      const why =
        queued >= room
          ? `${MOST_QUEUED} notifications of this part wait already`
          : withinLimit(notification, at, records.lastAt(trigger.name, key));
      if (why !== undefined) {
        records.dropped(trigger.name, key, at);
        reasons.push(`${notification.value}: ${why}`);
      } else if (firing !== undefined) {
        await this.#queue(one, firing, notification, tx);
        records.queued(trigger.name, key, at);
        queued++;
      }
    }
    const evaluation: KeptEvaluation = {
      time: event.time,
      outcome: firing === undefined ? 'not-fired' : queued > 0 ? 'fired' : 'dropped',
      reason: firing === undefined ? verdict.reason : reasons.join('; '),
      results: verdict.results,
      reading: verdict.reading === undefined ? '' : JSON.stringify(verdict.reading.payload),
    };
    records.add(trigger.name, evaluation, firing !== undefined);
    return queued;
  }

  async #queue(
    { event, trigger, names, verdict }: Case,
    firing: Firing,
    notification: Notification,
    tx: WriteTransaction,
  ): Promise<void> {
    const { deliveries, clock, age } = this.#options;
    const now = clock.now();
    const isLate = now - firing.happenedAt >= LATE_MS && !('ingested' in firing);
    const facts = { triggerName: trigger.name, firing, results: verdict.results, names, isLate, noticedAt: now };
    const request = requestFor(notification, facts);
    const { happenedAt, type: eventType } = firing;
    const { partId } = names;
    await deliveries.add(
      {
        partId,
        eventId: event.id,
        triggerName: trigger.name,
        eventType,
        notification,
        request,
        isLate,
        happenedAt,
        now,
        dueAt: age(),
      },
      tx,
    );
  }
}

/** What is sent to somebody. */
export function requestFor(
  { type, value }: Notification,
  facts: Omit<Parameters<typeof mailRequest>[0], 'to'>,
): StoredRequest {
  if (type === 'email') return mailRequest({ ...facts, to: value });
  return webhookRequest(value, facts.firing, facts.names);
}

function isOnline({ verdict }: Case): boolean {
  return verdict.firing?.type === 'part_online';
}

/** Why an event comes too soon after the last one of the target; undefined where it does not. */
export function withinLimit(
  { secondsBetween }: Notification,
  at: number,
  lastAt: number | undefined,
): string | undefined {
  if (lastAt === undefined || secondsBetween === 0) return undefined;
  const elapsed = at - lastAt;
  if (elapsed >= secondsBetween * 1_000 || elapsed < -SET_BACK_MS) return undefined;
  return `within ${secondsBetween} s of the last notification`;
}
