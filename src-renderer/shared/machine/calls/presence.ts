import {
  PresenceServiceDefinition,
  type Presence,
  type WatchPresenceResponse,
} from '../../../../proto/gen/core/hub/v1/presence.ts';
import type { Channel } from '../../../link/channel.ts';
import { createClient } from '../../../link/client.ts';

/** All parts that the caller may see, without their resources. */
export function watchFleet(channel: Channel, signal: AbortSignal): AsyncIterable<WatchPresenceResponse> {
  return createClient(PresenceServiceDefinition, channel).watch({ scope: undefined, brief: true }, { signal });
}

export async function* watchPart(channel: Channel, partId: string, signal: AbortSignal): AsyncGenerator<Presence> {
  const client = createClient(PresenceServiceDefinition, channel);
  const scope = { organizationId: '', locationId: '', machineId: '', partId };
  for await (const { parts } of client.watch({ scope, brief: false }, { signal })) yield* parts;
}
