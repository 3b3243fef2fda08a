import { DashboardServiceDefinition } from '../../../../proto/gen/core/dashboard/v1/dashboard.ts';
import type { Channel } from '../../../link/channel.ts';
import { createClient } from '../../../link/client.ts';
import type { DashboardCalls } from '../machine.ts';
import { partId, quick } from './call-options.ts';

export function dashboardCalls(channel: Channel): DashboardCalls {
  const client = createClient(DashboardServiceDefinition, channel);
  return {
    watch: (signal) => client.watch({ partId }, { signal }),
    async put(dashboard, baseRevision) {
      const { dashboard: stored } = await client.put({ partId, dashboard, baseRevision }, quick);
      if (stored === undefined) throw new Error(`The machine did not say what became of ${dashboard.name}.`);
      return stored;
    },
    async delete({ id, revision }) {
      await client.delete({ partId, id, baseRevision: revision }, quick);
    },
  };
}
