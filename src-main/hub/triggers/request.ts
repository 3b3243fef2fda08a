import { shortType } from '../../../proto/config/triggers/capture-method.ts';
import { readingOf } from '../../../proto/config/triggers/conditions.ts';
import type { WebhookRequest } from './delivery/stored-request.ts';
import type { DataFiring, Firing, PartNames } from './firing.ts';
import type { Reading } from './readings.ts';

/** Larger `data` is left out: webhook receivers accept little, and the queue stores each request. */
export const MAX_DATA_BYTES = 256 * 1024;

/** The webhook request of a firing, with exactly the method, headers and body of the specification. */
export function webhookRequest(url: string, firing: Firing, names: PartNames): WebhookRequest {
  if (!('ingested' in firing)) {
    return { kind: 'webhook', method: 'GET', url, headers: { ...idHeaders(names), ...nameHeaders(names) }, body: '' };
  }
  const headers = { ...idHeaders(names), 'Content-Type': 'application/json' };
  return { kind: 'webhook', method: 'POST', url, headers, body: JSON.stringify(requestBody(firing, names)) };
}

function idHeaders({ organizationId, locationId, partId, machineId }: PartNames) {
  return { 'Org-Id': organizationId, 'Location-Id': locationId, 'Part-Id': partId, 'Robot-Id': machineId };
}

function nameHeaders({ organizationName, locationName, machineName }: PartNames) {
  return { 'Organization-Name': organizationName, 'Location-Name': locationName, 'Machine-Name': machineName };
}

/** Keys without a source are left out: a file of no component has no `component_name`. */
function requestBody({ type, ingested, reading, condition }: DataFiring, names: PartNames): Record<string, unknown> {
  const { componentName, componentType, methodName, fileId, minReceived, maxReceived } = ingested;
  const isConditional = type === 'conditional_data_ingested';
  const body: Record<string, unknown> = {
    component_name: orUndefined(componentName),
    component_type: orUndefined(shortType(componentType)),
    method_name: orUndefined(methodName),
    ...(isConditional
      ? { trigger_condition: condition }
      : {
          min_time_received: timestamp(minReceived),
          max_time_received: timestamp(maxReceived),
          file_id: orUndefined(fileId),
        }),
    machine_name: names.machineName,
    location_name: names.locationName,
    org_name: names.organizationName,
    data: reading && dataOf(reading),
  };
  // JSON.stringify leaves out keys with `undefined`.
  return body;
}

function dataOf({ payload, requestedAt, receivedAt }: Reading): object | undefined {
  const metadata = { received_at: timestamp(receivedAt), requested_at: timestamp(requestedAt) };
  const data = { metadata, data: readingOf(payload) };
  return Buffer.byteLength(JSON.stringify(data)) > MAX_DATA_BYTES ? undefined : data;
}

function orUndefined(text: string): string | undefined {
  return text === '' ? undefined : text;
}

/** RFC 3339, in UTC. */
export function timestamp(ms: number): string {
  return new Date(ms).toISOString();
}
