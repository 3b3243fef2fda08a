import { PresenceServiceDefinition } from '../../../../proto/gen/core/hub/v1/presence.ts';
import type { Channel } from '../../../link/channel.ts';
import { createClient } from '../../../link/client.ts';
import { fleetEventFrom, partStatusFrom } from '../fleet-from-proto.ts';
import type { FleetEvent, PartStatusView } from '../fleet-view.ts';

/** Every part that the caller may see; without their resources. */
export async function* watchFleet(channel: Channel, signal: AbortSignal): AsyncGenerator<FleetEvent> {
  const client = createClient(PresenceServiceDefinition, channel);
  let isFirst = true;
  for await (const message of client.watch({ scope: undefined, brief: true }, { signal })) {
    yield fleetEventFrom(message, isFirst);
    isFirst = false;
  }
}

export async function* watchPart(
  channel: Channel,
  partId: string,
  signal: AbortSignal,
): AsyncGenerator<PartStatusView> {
  const client = createClient(PresenceServiceDefinition, channel);
  const scope = { organizationId: '', locationId: '', machineId: '', partId };
  for await (const { parts } of client.watch({ scope, brief: false }, { signal })) yield* parts.map(partStatusFrom);
}
