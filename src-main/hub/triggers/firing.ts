import { doesFire, evaluate, type ConditionResult } from '../../../proto/config/triggers/conditions.ts';
import { isOfType } from '../../../proto/config/triggers/capture-method.ts';
import type { Trigger } from '../../../proto/config/triggers/trigger.ts';
import type { HubEvent, IngestedData } from '../events/event-kinds.ts';
import { SEEN_MS } from '../presence/presence-book.ts';
import type { ComparableReading, Reading } from './readings.ts';

/** Ids and names of a part and of everything that contains it. */
export interface PartNames {
  readonly partId: string;
  readonly partName: string;
  readonly machineId: string;
  readonly machineName: string;
  readonly locationId: string;
  readonly locationName: string;
  readonly organizationId: string;
  readonly organizationName: string;
}

/**
 * Shorter gaps do not count as offline. Includes {@link SEEN_MS}, because a killed hub may have seen the part that much
 * later than it recorded.
 */
export const SHORT_GAP_MS = 60_000 + SEEN_MS;

/** What fired a trigger. */
export type Firing = { readonly type: 'part_online' | 'part_offline'; readonly happenedAt: number } | DataFiring;

export interface DataFiring {
  readonly type: 'part_data_ingested' | 'conditional_data_ingested';
  readonly happenedAt: number;
  readonly ingested: IngestedData;
  /** The first reading that fired the trigger; undefined for data without readings. */
  readonly reading: Reading | undefined;
  /** `conditions` as written in the configuration; undefined if there are none. */
  readonly condition: unknown;
}

/** The result of evaluating a trigger for an event that concerns it. */
export interface Verdict {
  /** Undefined if it does not fire. */
  readonly firing: Firing | undefined;
  /** The reading that fired the trigger, or else the last one that was compared. */
  readonly reading: Reading | undefined;
  /** Results for that reading, computed on demand: that costs ten times as much as finding out whether it fires. */
  readonly results: () => readonly ConditionResult[];
}

/** Evaluates a trigger for an event; undefined if the event does not concern the trigger. */
export async function verdictOf(
  { event: wanted }: Trigger,
  event: HubEvent,
  readings: () => Promise<readonly ComparableReading[]>,
): Promise<Verdict | undefined> {
  switch (wanted.type) {
    case 'part_online':
    case 'part_offline': {
      const happenedAt = presenceTime(wanted.type, event);
      return happenedAt === undefined ? undefined : fires({ type: wanted.type, happenedAt });
    }
    case 'part_data_ingested': {
      if (event.kind !== 'data.ingested' || !wanted.dataTypes.includes(event.payload.type)) return undefined;
      const reading = event.payload.type === 'tabular' ? (await readings())[0] : undefined;
      return fires(dataFiring(wanted.type, event.payload, event.time, reading, undefined));
    }
    case 'conditional_data_ingested': {
      if (event.kind !== 'data.ingested') return undefined;
      const { payload } = event;
      const { method, conditions, written } = wanted;
      const isMeant = payload.componentName === method.component && payload.methodName === method.method;
      if (!isMeant || !isOfType(method, payload.componentType)) return undefined;
      const all = await readings();
      if (conditions.length === 0) return fires(dataFiring(wanted.type, payload, event.time, all[0], undefined));
      const fired = all.find(({ values }) => doesFire(conditions, values));
      const shown = fired ?? all.at(-1);
      const firing = fired && dataFiring(wanted.type, payload, event.time, fired, written);
      const results = (): readonly ConditionResult[] =>
        shown === undefined ? [] : evaluate(conditions, shown.values).results;
      return { firing, reading: shown, results };
    }
  }
}

function presenceTime(type: 'part_online' | 'part_offline', event: HubEvent): number | undefined {
  switch (event.kind) {
    case 'part.online':
      return type === 'part_online' ? event.time : undefined;
    case 'part.away':
      return type === 'part_offline' ? (event.payload.lastSeen ?? event.time) : undefined;
    case 'part.gap': {
      const { began, ended } = event.payload;
      if (ended - began < SHORT_GAP_MS) return undefined;
      return type === 'part_offline' ? began : ended;
    }
    default:
      return undefined;
  }
}

function fires(firing: Firing): Verdict {
  return { firing, reading: 'reading' in firing ? firing.reading : undefined, results: () => [] };
}

function dataFiring(
  type: DataFiring['type'],
  ingested: IngestedData,
  happenedAt: number,
  reading: Reading | undefined,
  condition: unknown,
): DataFiring {
  return { type, happenedAt, ingested, reading, condition };
}

/** Why the conditions did not hold. */
export function reasonOf(results: readonly ConditionResult[]): string {
  const failed = results.find(({ holds }) => !holds);
  if (failed === undefined) return 'the upload has no readings';
  return failed.path.length === 0 ? failed.reason : `${failed.path.join('.')}: ${failed.reason}`;
}
