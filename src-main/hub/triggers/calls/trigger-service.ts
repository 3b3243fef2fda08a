import type { TriggerServiceDefinition } from '../../../../proto/gen/core/hub/v1/trigger.ts';
import { capturedResources } from '../../../../proto/config/capture/captured-methods.ts';
import { readTrigger } from '../../../../proto/config/triggers/read-triggers.ts';
import { readJsonText, type JsonValue } from '../../../../proto/config/text/json-text.ts';
import type { Trigger } from '../../../../proto/config/triggers/trigger.ts';
import type { Clock } from '../../../base/clock.ts';
import { ArmatureError } from '../../../base/errors.ts';
import { compileUserPattern } from '../../../base/user-pattern.ts';
import type { Caller } from '../../access/caller.ts';
import type { HubHandlers } from '../../access/guarded.ts';
import { notFound } from '../../places/fleet-errors.ts';
import type { EventLog } from '../../events/event-log.ts';
import { findPlace } from '../../places/place.ts';
import type { Store } from '../../storage/store.ts';
import type { Deliveries, Delivery } from '../delivery/deliveries.ts';
import type { StoredRequest } from '../delivery/stored-request.ts';
import type { WebhookSecrets } from '../delivery/webhook/webhook-secrets.ts';
import { reasonOf, type Verdict } from '../firing.ts';
import type { PartTriggers, TriggeredPart } from '../part-triggers.ts';
import { targetKey } from '../target-key.ts';
import type { ReadingsOf } from '../readings.ts';
import { countFirings } from './count-firings.ts';
import { sampleReading, tryOut } from './trial.ts';
import { requestFor } from '../trigger-engine.ts';
import { readLimits } from '../trigger-limits.ts';
import type { TriggerRecords } from '../trigger-records.ts';
import {
  conditionMessage,
  deliveryMessage,
  deliveryStates,
  problemMessage,
  requestMessage,
  responseOf,
  triggerMessage,
} from './wire-triggers.ts';

const DEFAULT_PAGE_SIZE = 50;
const MAX_PAGE_SIZE = 200;
/** Characters of a trigger or reading that is tried out. */
const MAX_TEXT_LENGTH = 256 * 1024;
const DAY_S = 24 * 60 * 60;
/** How long events are kept. */
const WEEK_S = 7 * DAY_S;
/** Firings whose times are returned. */
const MAX_FIRINGS = 1_000;

export interface TriggerServiceOptions {
  readonly store: Store;
  readonly events: EventLog;
  readonly readingsOf: ReadingsOf;
  readonly parts: PartTriggers;
  readonly deliveries: Deliveries;
  readonly records: TriggerRecords;
  readonly secrets: WebhookSecrets;
  readonly clock: Clock;
  /** The monotonic time of limits and retries, in milliseconds. */
  readonly age: () => number;
  /** Called after a notification was queued. */
  readonly onQueued: () => void;
}

/** `core.hub.v1.TriggerService` without the settings of the hub. */
export function triggerService(options: TriggerServiceOptions): HubHandlers<typeof TriggerServiceDefinition> {
  const { store, events, readingsOf, parts, deliveries, records, secrets, clock, age, onQueued } = options;
  /** How far the time of limits and retries is ahead of the wall clock. */
  const aheadMs = (): number => age() - clock.now();

  const partFor = async (
    caller: Caller,
    action: 'trigger.read' | 'trigger.manage',
    partId: string,
  ): Promise<TriggeredPart> => {
    await caller.require(action, { type: 'part', id: partId }, store.db);
    const part = (await parts.of([partId])).get(partId);
    if (part === undefined) throw notFound('part', partId);
    return part;
  };

  /** Reports the same error for a missing delivery and one that the caller may not see. */
  const deliveryFor = async (
    caller: Caller,
    action: 'trigger.read' | 'trigger.manage',
    id: string,
  ): Promise<Delivery> => {
    const delivery = await deliveries.get(id);
    const target = { type: 'part', id: delivery.part_id } as const;
    const place = await findPlace(store.db, target);
    if (place === undefined || !caller.may('trigger.read', place)) throw notFound('delivery', id);
    if (!caller.may(action, place)) throw caller.denied(action, target);
    return delivery;
  };

  /** Reads a trigger from a request as if it were in the part's configuration. */
  const readGiven = async (partId: string, text: string) => {
    const value = parsed('trigger', text);
    const document = await parts.document(partId);
    const context = { captured: capturedResources(document), compilePattern: compileUserPattern };
    const { trigger, problems } = readTrigger(value, '', 0, context);
    return { trigger, document, problems: problems.map(problemMessage) };
  };

  const requestsOf = (trigger: Trigger, { names }: TriggeredPart, { firing, results }: Verdict): StoredRequest[] => {
    if (firing === undefined) return [];
    const facts = {
      triggerName: trigger.name,
      firing,
      results: results(),
      names,
      isLate: false,
      noticedAt: clock.now(),
    };
    return trigger.notifications.map((notification) => requestFor(notification, facts));
  };

  return {
    async listTriggers({ partId }, caller) {
      const { entries } = await partFor(caller, 'trigger.read', partId);
      const [ofTriggers, limits] = await Promise.all([records.of(partId), readLimits(store.db, partId)]);
      return { triggers: entries.map((entry) => triggerMessage(entry, ofTriggers.get(entry.name), limits, aheadMs())) };
    },

    async listDeliveries({ partId, trigger, state, limit, pageToken }, caller) {
      await caller.require('trigger.read', { type: 'part', id: partId }, store.db);
      const count = limit === 0 ? DEFAULT_PAGE_SIZE : Math.min(limit, MAX_PAGE_SIZE);
      const rows = await deliveries.list(partId, {
        triggerName: trigger === '' ? undefined : trigger,
        state: (['queued', 'delivered', 'dead'] as const).find((one) => deliveryStates[one] === state),
        before: numberOf(pageToken),
        limit: count,
      });
      const last = rows.length < count ? undefined : rows.at(-1);
      return {
        deliveries: rows.map((row) => deliveryMessage(row, aheadMs())),
        nextPageToken: last === undefined ? '' : String(last.number),
      };
    },

    async getDelivery({ id }, caller) {
      const row = await deliveryFor(caller, 'trigger.read', id);
      const request = requestMessage(JSON.parse(row.request) as StoredRequest);
      return { delivery: deliveryMessage(row, aheadMs()), request, response: responseOf(row) };
    },

    async replay({ id }, caller) {
      await deliveryFor(caller, 'trigger.manage', id);
      await deliveries.replay(id, age());
      onQueued();
      return {};
    },

    async sendTest({ partId, trigger: name, target }, caller) {
      const part = await partFor(caller, 'trigger.manage', partId);
      const trigger = part.entries.find((entry) => entry.name === name)?.trigger;
      if (trigger === undefined) throw notFound('trigger that can be used', name);
      const notification = trigger.notifications.find(({ value }) => target === '' || value === target);
      if (notification === undefined) throw notFound('target of the trigger', target);
      const verdict = await anyFiring(trigger, part);
      const { firing } = verdict;
      if (firing === undefined) throw new Error('a reading was made that fires');
      const now = clock.now();
      const facts = { firing, results: verdict.results(), names: part.names, isLate: false, noticedAt: now };
      const delivery = {
        partId,
        eventId: undefined,
        triggerName: name,
        eventType: firing.type,
        notification,
        request: requestFor(notification, { ...facts, triggerName: `${name} (test)` }),
        isLate: false,
        happenedAt: now,
        now,
        dueAt: age(),
      };
      const id = await store.transaction((tx) => deliveries.add(delivery, tx));
      onQueued();
      return { deliveryId: id ?? '' };
    },

    async dryRun({ partId, trigger: text, reading }, caller) {
      const part = await partFor(caller, 'trigger.read', partId);
      const payload = reading === '' ? undefined : parsed('reading', reading);
      const { trigger, document, problems } = await readGiven(partId, text);
      if (trigger === undefined) {
        return { problems, fires: false, reason: 'The trigger cannot be used.', conditions: [], requests: [] };
      }
      const verdict = await tryOut(trigger, document, payload, clock.now());
      const results = verdict.results();
      return {
        problems,
        fires: verdict.firing !== undefined,
        reason: verdict.firing === undefined ? reasonOf(results) : '',
        conditions: results.map(conditionMessage),
        requests: requestsOf(trigger, part, verdict).map(requestMessage),
      };
    },

    async countFirings({ partId, trigger: text, seconds }, caller, { signal }) {
      await partFor(caller, 'trigger.read', partId);
      if (seconds > WEEK_S) {
        throw new ArmatureError('call.bad_argument', `"seconds" is ${seconds}; at most ${WEEK_S} (a week) are taken.`);
      }
      const to = clock.now();
      const from = to - (seconds === 0 ? DAY_S : seconds) * 1_000;
      const { trigger, problems } = await readGiven(partId, text);
      const answer = { problems, from: new Date(from), to: new Date(to), cutOff: undefined };
      if (trigger === undefined) {
        return { ...answer, evaluated: 0n, fired: 0n, withoutReadings: 0n, firings: [], targets: [] };
      }
      const query = { partId, trigger, from, to };
      const counted = await countFirings(query, { events, readingsOf, clock }, signal);
      return {
        ...answer,
        cutOff: counted.cutOff === undefined ? undefined : new Date(counted.cutOff),
        evaluated: BigInt(counted.evaluated),
        fired: BigInt(counted.firings.length),
        withoutReadings: BigInt(counted.withoutReadings),
        firings: counted.firings.slice(0, MAX_FIRINGS).map((time) => new Date(time)),
        targets: counted.targets.map(({ notification: { type, value }, notified, dropped }) => ({
          type,
          value,
          notifications: BigInt(notified),
          dropped: BigInt(dropped),
        })),
      };
    },

    async rotateSecret({ partId, url }, caller) {
      const { entries } = await partFor(caller, 'trigger.manage', partId);
      const isWebhook = entries.some(({ trigger }) =>
        trigger?.notifications.some(({ type, value }) => type === 'webhook' && value === url),
      );
      if (!isWebhook) throw notFound('webhook of a trigger', url);
      const { secret, previousUntil } = await secrets.rotate(partId, targetKey({ type: 'webhook', value: url }));
      return { secret, previousUntil: previousUntil === undefined ? undefined : new Date(previousUntil) };
    },
  };

  /** A firing of the trigger for the last reading that fired it, or else for a sample reading. */
  async function anyFiring(trigger: Trigger, { names: { partId } }: TriggeredPart): Promise<Verdict> {
    const document = await parts.document(partId);
    const record = (await records.of(partId)).get(trigger.name);
    const seen = record?.evaluations.find(({ outcome, reading }) => outcome !== 'not-fired' && reading !== '');
    const seenReading = seen && readJsonText(seen.reading).root?.value;
    const unconditional: Trigger = {
      ...trigger,
      event: trigger.event.type === 'conditional_data_ingested' ? { ...trigger.event, conditions: [] } : trigger.event,
    };
    const verdict = await tryOut(unconditional, document, seenReading ?? sampleReading(trigger), clock.now());
    if (verdict.firing === undefined || trigger.event.type !== 'conditional_data_ingested') return verdict;
    return { ...verdict, firing: { ...verdict.firing, condition: trigger.event.written } as typeof verdict.firing };
  }
}

function parsed(what: string, text: string): JsonValue {
  if (text.length > MAX_TEXT_LENGTH) {
    throw new ArmatureError(
      'call.too_large',
      `The ${what} has ${text.length} characters; at most ${MAX_TEXT_LENGTH} are taken.`,
    );
  }
  const { root, faults } = readJsonText(text);
  if (root !== undefined) return root.value;
  throw new ArmatureError('call.bad_argument', `The ${what} is not JSON: ${faults[0]?.message ?? 'it is empty'}`);
}

function numberOf(pageToken: string): number | undefined {
  if (pageToken === '') return undefined;
  const number = Number(pageToken);
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new ArmatureError('call.bad_argument', `The page token "${pageToken.slice(0, 40)}" is not from this service.`);
}
