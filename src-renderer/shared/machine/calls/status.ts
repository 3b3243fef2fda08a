import { StatusServiceDefinition, type WatchResponse } from '../../../../proto/gen/core/status/v1/status.ts';
import type { Channel } from '../../../link/channel.ts';
import { createClient } from '../../../link/client.ts';

export function watchStatus(channel: Channel, signal: AbortSignal): AsyncIterable<WatchResponse> {
  return createClient(StatusServiceDefinition, channel).watch({}, { signal });
}
