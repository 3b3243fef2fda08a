import { StatusServiceDefinition } from '../../../../proto/gen/core/status/v1/status.ts';
import type { Channel } from '../../../link/channel.ts';
import { createClient } from '../../../link/client.ts';
import { statusFrom } from '../from-proto.ts';
import type { StatusEvent } from '../machine-view.ts';

export async function* watchStatus(channel: Channel, signal: AbortSignal): AsyncGenerator<StatusEvent> {
  const client = createClient(StatusServiceDefinition, channel);
  for await (const message of client.watch({}, { signal })) {
    const event = statusFrom(message);
    if (event !== undefined) yield event;
  }
}
