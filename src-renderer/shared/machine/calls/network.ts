import { NetworkServiceDefinition } from '../../../../proto/gen/core/network/v1/network.ts';
import type { Channel } from '../../../link/channel.ts';
import { createClient } from '../../../link/client.ts';
import type { NetworkCalls } from '../machine.ts';

export function networkCalls(link: Channel): NetworkCalls {
  return { watchMachines: (signal) => createClient(NetworkServiceDefinition, link).watchMachines({}, { signal }) };
}
