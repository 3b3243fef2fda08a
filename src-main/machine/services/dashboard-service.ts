import { roleAllows } from '../../../proto/config/permissions.ts';
import type {
  DashboardServiceDefinition,
  DeleteRequest,
  DeleteResponse,
  PutRequest,
  PutResponse,
  WatchResponse,
} from '../../../proto/gen/core/dashboard/v1/dashboard.ts';
import { checkDelete, checkPut } from '../../base/dashboards/dashboard-changes.ts';
import { watchDashboards } from '../../base/dashboards/watch-dashboards.ts';
import type { Principal } from '../../rpc/principal.ts';
import type { ServiceHandlers } from '../../rpc/service.ts';
import type { KeptDashboards } from '../dashboards/kept-dashboards.ts';

/** Dashboards of this machine, kept by its hub. */
export interface PartDashboards {
  watch(signal: AbortSignal): AsyncIterable<WatchResponse>;
  put(request: PutRequest): Promise<PutResponse>;
  delete(request: DeleteRequest): Promise<DeleteResponse>;
}

/**
 * core.dashboard.v1.DashboardService of a machine.
 * @param kept where they are kept without a hub
 * @param atHub undefined if there is no hub
 */
export function dashboardService(
  kept: KeptDashboards,
  atHub: PartDashboards | undefined,
): ServiceHandlers<typeof DashboardServiceDefinition> {
  if (atHub !== undefined) {
    return {
      async *watch(_request, { principal, signal }) {
        // The hub is asked by the machine, so what this caller may do is known here alone.
        for await (const found of atHub.watch(signal)) yield { ...found, readOnly: isReadOnly(principal) };
      },
      put: (request) => atHub.put(request),
      delete: (request) => atHub.delete(request),
    };
  }
  return {
    async *watch(_request, { principal, signal }) {
      const onChange = (listener: () => void): (() => void) => kept.onChange(listener);
      yield* watchDashboards({ read: () => kept.read(), onChange, isReadOnly: isReadOnly(principal) }, signal);
    },

    async put(request) {
      let dashboard: PutResponse['dashboard'];
      await kept.change((before) => {
        const stored = checkPut(before, request);
        dashboard = stored;
        return [...before.filter(({ id }) => id !== stored.id), stored];
      });
      return { dashboard };
    },

    async delete(request) {
      await kept.change((before) => {
        checkDelete(before, request);
        return before.filter(({ id }) => id !== request.id);
      });
      return {};
    },
  };
}

function isReadOnly({ role }: Principal): boolean {
  return role !== undefined && !roleAllows(role, 'dashboard.write');
}
