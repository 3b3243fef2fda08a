import type { Notification, Trigger } from '../../../../proto/config/triggers/trigger.ts';
import type { Clock } from '../../../base/clock.ts';
import type { HubEvent } from '../../events/event-kinds.ts';
import type { EventLog } from '../../events/event-log.ts';
import { verdictOf } from '../firing.ts';
import { comparable, type ReadingsOf } from '../readings.ts';
import { tooSoonReason } from '../trigger-engine.ts';

/** Time limit of the search through past events. The result says what was not searched. */
export const MAX_LOOK_MS = 3_000;

export interface PastQuery {
  readonly partId: string;
  readonly trigger: Trigger;
  /** Wall-clock milliseconds. */
  readonly from: number;
  readonly to: number;
}

/** What is needed to read past events. */
export interface PastSources {
  readonly events: EventLog;
  readonly readingsOf: ReadingsOf;
  readonly clock: Clock;
}

/** What a trigger would have done in the past. Times are wall-clock milliseconds. */
export interface CountedFirings {
  /** Events before this time were not searched; undefined if all were. */
  readonly cutOff: number | undefined;
  /** Events that concern the trigger. */
  readonly evaluated: number;
  /** Of these, uploads whose readings no longer exist. */
  readonly withoutReadings: number;
  /** When it would have fired, newest first. */
  readonly firings: readonly number[];
  readonly targets: readonly CountedTarget[];
}

interface CountedTarget {
  readonly notification: Notification;
  readonly notified: number;
  readonly dropped: number;
}

/**
 * Counts how often a trigger would have fired. Evaluates each stored event with the code that evaluates new ones.
 * Begins with the newest event, so that the oldest are left out if time runs out.
 */
export async function countFirings(
  { partId, trigger, from, to }: PastQuery,
  { events, readingsOf, clock }: PastSources,
  signal: AbortSignal,
): Promise<CountedFirings> {
  const endsAt = clock.monotonic() + MAX_LOOK_MS;
  const isOver = (): boolean => signal.aborted || clock.monotonic() >= endsAt;
  const firings: number[] = [];
  let [evaluated, withoutReadings] = [0, 0];
  const look = async (event: HubEvent): Promise<void> => {
    let isGone = false;
    const verdict = await verdictOf(trigger, event, async () => {
      if (event.kind !== 'data.ingested') return [];
      const readings = await readingsOf(event.payload.uploadId);
      isGone = event.payload.type === 'tabular' && event.payload.count > 0 && readings.length === 0;
      return comparable(readings);
    });
    if (verdict === undefined) return;
    evaluated++;
    if (isGone) withoutReadings++;
    if (verdict.firing !== undefined) firings.push(event.time);
  };
  const through = async (): Promise<number | undefined> => {
    for await (const piece of events.past(partId, from)) {
      for (const event of piece.events) {
        if (event.time > to) continue;
        await look(event);
        if (isOver()) return event.time;
      }
      if (piece.reachedTo > from && isOver()) return piece.reachedTo;
    }
    return undefined;
  };
  const cutOff = await through();
  const targets = trigger.notifications.map((notification) => countTarget(notification, firings));
  return { cutOff, evaluated, withoutReadings, firings, targets };
}

/** How many notifications a target would have got. */
function countTarget(notification: Notification, firings: readonly number[]): CountedTarget {
  let last: number | undefined;
  let notified = 0;
  for (const time of firings.toReversed()) {
    if (tooSoonReason(notification, time, last) !== undefined) continue;
    last = time;
    notified++;
  }
  return { notification, notified, dropped: firings.length - notified };
}
