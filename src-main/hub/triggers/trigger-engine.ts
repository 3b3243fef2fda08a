import type { Notification, Trigger } from '../../../proto/config/triggers/trigger.ts';
import type { Clock } from '../../base/clock.ts';
import type { HubEvent } from '../events/event-kinds.ts';
import type { EventConsumer, EventLog } from '../events/event-log.ts';
import { readSetting } from '../storage/settings.ts';
import type { Store } from '../storage/store.ts';
import type { WriteTransaction } from '../storage/tables.ts';
import { MAX_QUEUED, type Deliveries } from './delivery/deliveries.ts';
import type { StoredRequest } from './delivery/stored-request.ts';
import { reasonOf, verdictOf, type Firing, type PartNames, type Verdict } from './firing.ts';
import { mailRequest } from './mail-text.ts';
import type { PartTriggers } from './part-triggers.ts';
import { comparable, type ComparableReading, type ReadingsOf } from './readings.ts';
import { webhookRequest } from './request.ts';
import { targetKey } from './target-key.ts';
import { PartLimits } from './trigger-limits.ts';
import type { Evaluated, KeptEvaluation, TriggerRecords } from './trigger-records.ts';

/** A notification is late if the hub noticed the event this long after it happened. */
export const LATE_MS = 60_000;
/** Name under which the position in the event log is stored. */
const CONSUMER = 'triggers';
/** Name of the setting with the last event whose effects are stored. */
const HANDLED = 'triggers_handled';
/**
 * If an event seems to have happened this long before the last one, the hub's time was ahead before a backup was
 * restored.
 */
const SET_BACK_MS = 60_000;

export interface TriggerEngineOptions {
  readonly store: Store;
  readonly events: EventLog;
  readonly parts: PartTriggers;
  readonly deliveries: Deliveries;
  readonly records: TriggerRecords;
  readonly readingsOf: ReadingsOf;
  readonly clock: Clock;
  /** The monotonic time of limits and retries, in milliseconds: goes on even if the clock is set back. */
  readonly age: () => number;
  /** Called after notifications were queued. */
  readonly onQueued: () => void;
}

/** An event with a trigger that it concerns. */
interface Case {
  readonly event: HubEvent;
  readonly trigger: Trigger;
  readonly names: PartNames;
  readonly verdict: Verdict;
}

/** The result of a case. */
interface Settled {
  /** Number of queued notifications. */
  readonly queued: number;
  readonly evaluated: Evaluated;
}

/** Evaluates triggers for each event, and queues notifications for those that fire. */
export class TriggerEngine {
  readonly #options: TriggerEngineOptions;
  #consumer: EventConsumer | undefined;

  constructor(options: TriggerEngineOptions) {
    this.#options = options;
  }

  /** Continues after the last event that was handled. Throws if the store cannot be read. */
  async start(): Promise<void> {
    this.#consumer = await this.#options.events.consume(CONSUMER, (events) => this.handle(events));
  }

  async close(): Promise<void> {
    await this.#consumer?.close();
  }

  /** Handles events in order. Events that were already handled, also before a restart, have no effect. */
  async handle(events: readonly HubEvent[]): Promise<void> {
    const cases = await this.#cases(events);
    if (cases.length === 0) return;
    const { store, records, onQueued } = this.#options;
    const settled = await store.transaction((tx) => this.#store(cases, tx));
    for (const { evaluated } of settled) records.add(evaluated);
    if (settled.some(({ queued }) => queued > 0)) onQueued();
  }

  async #cases(events: readonly HubEvent[]): Promise<Case[]> {
    const { parts, readingsOf } = this.#options;
    const concerned = events.filter(({ kind }) => kind.startsWith('part.') || kind === 'data.ingested');
    const partIds = [...new Set(concerned.flatMap(({ partId }) => partId ?? []))];
    const found = await parts.of(partIds);
    const cases: Case[] = [];
    for (const event of concerned) {
      const part = found.get(event.partId ?? '');
      // Read once for all triggers of the part, and only if one needs them.
      let asked: Promise<readonly ComparableReading[]> | undefined;
      const readings = (): Promise<readonly ComparableReading[]> =>
        (asked ??=
          event.kind === 'data.ingested' ? readingsOf(event.payload.uploadId).then(comparable) : Promise.resolve([]));
      for (const trigger of part?.triggers ?? []) {
        const verdict = await verdictOf(trigger, event, readings);
        if (part !== undefined && verdict !== undefined) cases.push({ event, trigger, names: part.names, verdict });
      }
    }
    // After an outage of the hub, "offline" is sent before "online".
    return cases.sort((a, b) => a.event.id - b.event.id || Number(isOnline(a)) - Number(isOnline(b)));
  }

  async #store(cases: readonly Case[], tx: WriteTransaction): Promise<readonly Settled[]> {
    const partIds = [...new Set(cases.map(({ names }) => names.partId))];
    // Queries run in parallel, because waiting for answers costs more than the queries.
    const [handled, there] = await Promise.all([
      readSetting(tx, HANDLED),
      tx.selectFrom('parts').select('id').where('id', 'in', partIds).execute(),
    ]);
    const fresh = cases.filter(({ event }) => event.id > Number(handled ?? 0));
    const last = fresh.at(-1);
    if (last === undefined) return [];
    const settled: Settled[] = [];
    for (const [partId, ofPart] of Map.groupBy(fresh, ({ names }) => names.partId)) {
      // The part may have been deleted since.
      if (!there.some(({ id }) => id === partId)) continue;
      const [limits, waiting] = await Promise.all([
        PartLimits.read(tx, partId),
        this.#options.deliveries.countQueued(partId, tx),
      ]);
      let room = MAX_QUEUED - waiting;
      for (const one of ofPart) {
        const what = await this.#settle(one, this.#ageOf(one.event), limits, room, tx);
        room -= what.queued;
        settled.push(what);
      }
      await limits.write(tx);
    }
    const value = String(last.event.id);
    await tx
      .insertInto('settings')
      .values({ name: HANDLED, value })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
      .execute();
    return settled;
  }

  /** When an event happened, in the time of limits. Future events were recorded before the clock was set back. */
  #ageOf({ time }: HubEvent): number {
    const { clock, age } = this.#options;
    return age() - Math.max(0, clock.now() - time);
  }

  /** @param at when it happened, in the time of limits */
  async #settle(one: Case, at: number, limits: PartLimits, room: number, tx: WriteTransaction): Promise<Settled> {
    const { event, trigger, names, verdict } = one;
    const { firing } = verdict;
    const reasons: string[] = [];
    let queued = 0;
    for (const notification of firing === undefined ? [] : trigger.notifications) {
      const key = targetKey(notification);
      const why =
        queued >= room
          ? `${MAX_QUEUED} notifications of this part wait already`
          : tooSoonReason(notification, at, limits.lastAt(trigger.name, key));
      if (why !== undefined) {
        limits.dropped(trigger.name, key, at);
        reasons.push(`${notification.value}: ${why}`);
      } else if (firing !== undefined) {
        await this.#queue(one, firing, notification, tx);
        limits.queued(trigger.name, key, at);
        queued++;
      }
    }
    const evaluation = (): KeptEvaluation => {
      const results = verdict.results();
      return {
        time: event.time,
        outcome: firing === undefined ? 'not-fired' : queued > 0 ? 'fired' : 'dropped',
        reason: firing === undefined ? reasonOf(results) : reasons.join('; '),
        results,
        reading: verdict.reading === undefined ? '' : JSON.stringify(verdict.reading.payload),
      };
    };
    const { partId } = names;
    return { queued, evaluated: { partId, triggerName: trigger.name, isFired: firing !== undefined, evaluation } };
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
    const facts = { triggerName: trigger.name, firing, results: verdict.results(), names, isLate, noticedAt: now };
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

/** The request of a notification. */
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

/** Why an event comes too soon after the last notification of the target; undefined if it does not. */
export function tooSoonReason(
  { secondsBetween }: Notification,
  at: number,
  lastAt: number | undefined,
): string | undefined {
  if (lastAt === undefined || secondsBetween === 0) return undefined;
  const elapsed = at - lastAt;
  if (elapsed >= secondsBetween * 1_000 || elapsed < -SET_BACK_MS) return undefined;
  return `within ${secondsBetween} s of the last notification`;
}
