import { ConfigServiceDefinition } from '../../../../proto/gen/core/config/v1/config.ts';
import { HubServiceDefinition } from '../../../../proto/gen/core/hub/v1/hub.ts';
import { StatusCode } from '../../../../proto/status-code.ts';
import type { Channel } from '../../../link/channel.ts';
import { createClient } from '../../../link/client.ts';
import { RpcError } from '../../../link/rpc-error.ts';
import type { Fleet } from '../fleet.ts';
import { changeFrom, hubFrom } from '../rpc/fleet-from-proto.ts';
import { quick } from './call-options.ts';

/** Calls about the hub itself, and about what it knows of a part. */
export function hubCalls(channel: Channel): Pick<Fleet, 'describe' | 'latestChanges'> {
  const hub = createClient(HubServiceDefinition, channel);
  const config = createClient(ConfigServiceDefinition, channel);
  return {
    async describe() {
      try {
        return hubFrom(await hub.describe({}, quick));
      } catch (thrown) {
        if (thrown instanceof RpcError && thrown.code === StatusCode.UNIMPLEMENTED) return undefined;
        throw thrown;
      }
    },

    async latestChanges(partId, limit) {
      const request = {
        partId,
        limit,
        pageToken: '',
        text: '',
        resource: '',
        start: undefined,
        end: undefined,
        tagged: false,
      };
      return (await config.history(request, quick)).versions.map(changeFrom);
    },
  };
}
