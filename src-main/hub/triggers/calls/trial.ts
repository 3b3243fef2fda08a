import { capturedResources, type CapturedResource } from '../../../../proto/config/capture/captured-methods.ts';
import { isOfType } from '../../../../proto/config/triggers/capture-method.ts';
import type { Condition } from '../../../../proto/config/triggers/conditions.ts';
import type { Trigger } from '../../../../proto/config/triggers/trigger.ts';
import type { JsonValue } from '../../../../proto/config/text/json-text.ts';
import { isJsonObject } from '../../../../proto/config/text/text-entries.ts';
import type { HubEvent, IngestedData } from '../../events/event-kinds.ts';
import { verdictOf, type Verdict } from '../firing.ts';
import { comparable, type Reading } from '../readings.ts';

/** In place of ids, because nothing was uploaded. */
const SAMPLE_ID = 'test';

/**
 * Evaluates a trigger for a made-up event with this reading, with the code that evaluates real ones.
 * @param document the configuration of its part, which tells what is captured
 */
export async function tryOut(
  trigger: Trigger,
  document: JsonValue,
  payload: JsonValue | undefined,
  now: number,
): Promise<Verdict> {
  const event = sampleEvent(trigger, capturedResources(document), now);
  const readings: Reading[] = isJsonObject(payload) ? [{ payload, requestedAt: now, receivedAt: now }] : [];
  const verdict = await verdictOf(trigger, event, () => Promise.resolve(comparable(readings)));
  if (verdict === undefined) throw new Error('a trigger is about the event that was made for it');
  return verdict;
}

function sampleEvent({ event }: Trigger, captured: readonly CapturedResource[], time: number): HubEvent {
  const base = { id: 0, time };
  const payload = (
    type: IngestedData['type'],
    source: Pick<IngestedData, 'componentName' | 'componentType' | 'methodName'>,
  ) => ({
    uploadId: SAMPLE_ID,
    type,
    ...source,
    fileId: SAMPLE_ID,
    minReceived: time,
    maxReceived: time,
    count: 1,
    tags: [],
  });
  if (event.type === 'conditional_data_ingested') {
    const { method } = event;
    const api = captured.find((one) => one.name === method.component && isOfType(method, one.api))?.api;
    const componentType = api ?? (method.type.includes(':') ? method.type : `core:component:${method.type}`);
    const source = { componentName: method.component, componentType, methodName: method.method };
    return { ...base, kind: 'data.ingested', payload: payload('tabular', source) };
  }
  if (event.type !== 'part_data_ingested') {
    return { ...base, kind: event.type === 'part_online' ? 'part.online' : 'part.away', payload: {} };
  }
  const type = event.dataTypes.find((one) => one === 'tabular') ?? event.dataTypes[0] ?? 'unspecified';
  const any = captured.find(({ methods }) => methods.length > 0);
  const source = { componentName: any?.name ?? '', componentType: any?.api ?? '', methodName: any?.methods[0] ?? '' };
  return { ...base, kind: 'data.ingested', payload: payload(type, source) };
}

/** A sample reading for a test, with every field that the trigger names; empty readings if it names none. */
export function sampleReading({ event }: Trigger): { [key: string]: JsonValue } {
  const readings: { [key: string]: JsonValue } = Object.create(null) as { [key: string]: JsonValue };
  const conditions: readonly Condition[] = event.type === 'conditional_data_ingested' ? event.conditions : [];
  for (const { path = ['value'], expected } of conditions) {
    let inner = readings;
    for (const key of path.slice(0, -1)) {
      const next = inner[key];
      inner = isJsonObject(next) ? next : (inner[key] = Object.create(null) as { [key: string]: JsonValue });
    }
    inner[path.at(-1) ?? 'value'] = expected;
  }
  return { readings };
}
