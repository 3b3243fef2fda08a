import { StatusServiceDefinition } from '../../../../proto/gen/core/status/v1/status.ts';
import type { Channel } from '../../../link/channel.ts';
import { createClient } from '../../../link/client.ts';
import type { PackageCalls } from '../machine.ts';
import { quick } from './call-options.ts';

export function packageCalls(channel: Channel): PackageCalls {
  const status = createClient(StatusServiceDefinition, channel);
  return {
    async retry(name) {
      await status.retryPackage({ name }, quick);
    },
  };
}
