import { TriggerServiceDefinition } from '../../../../proto/gen/core/hub/v1/trigger.ts';
import type { Channel } from '../../../link/channel.ts';
import { createClient } from '../../../link/client.ts';
import { callFailure } from '../rpc/call-failure.ts';
import type { TriggerCalls } from '../triggers/trigger-calls.ts';
import { quick } from './call-options.ts';

export function triggerCalls(channel: Channel): TriggerCalls {
  const client = createClient(TriggerServiceDefinition, channel);
  return {
    async list(partId, signal) {
      return (await client.listTriggers({ partId }, { ...quick, signal })).triggers;
    },

    async deliveries({ token, ...query }, signal) {
      const page = await client.listDeliveries({ ...query, pageToken: token }, { ...quick, signal });
      return { items: page.deliveries, olderToken: page.nextPageToken };
    },

    delivery: (id, signal) => client.getDelivery({ id }, { ...quick, signal }),

    async replay(id) {
      await client.replay({ id }, quick);
    },

    async sendTest(partId, trigger, target) {
      return (await client.sendTest({ partId, trigger, target }, quick)).deliveryId;
    },

    dryRun: (partId, trigger, reading, signal) => client.dryRun({ partId, trigger, reading }, { ...quick, signal }),

    countFirings: (partId, trigger, signal) =>
      client.countFirings({ partId, trigger, seconds: 0 }, { ...quick, signal }),

    rotateSecret: (partId, url) => client.rotateSecret({ partId, url }, quick),

    async hasMailServer(signal) {
      try {
        return (await client.getSettings({}, { ...quick, signal })).mailServer !== undefined;
      } catch (thrown) {
        // Only owners of the hub may read the settings.
        if (callFailure(thrown).code === 'PERMISSION_DENIED') return undefined;
        throw thrown;
      }
    },
  };
}
