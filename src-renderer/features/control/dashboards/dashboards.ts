import { defineStore } from 'pinia';
import { computed, onScopeDispose, ref, shallowRef } from 'vue';
import { inOrder } from '../../../../proto/config/dashboards/dashboard-order.ts';
import type { Dashboard, WatchResponse } from '../../../../proto/gen/core/dashboard/v1/dashboard.ts';
import { followStream } from '../../../shared/machine/rpc/follow-stream.ts';
import { useMachine } from '../../../shared/machine/machine.ts';

/** The machine's dashboards, live: a change of another window is seen at once. */
export const useDashboards = defineStore('dashboards', () => {
  const { connection, dashboards: calls } = useMachine();
  const found = shallowRef<WatchResponse>();
  const problem = ref('');
  onScopeDispose(
    followStream({
      connection,
      open: (signal) => calls.watch(signal),
      onItem: (next) => (found.value = next),
      onProblem: (message) => (problem.value = message),
    }),
  );
  const list = computed(() => found.value?.dashboards ?? []);

  /** Takes a change of this page before the machine reports it, so that nothing old is shown meanwhile. */
  function take(dashboards: readonly Dashboard[]): void {
    found.value = { dashboards: [...dashboards], readOnly: found.value?.readOnly ?? false };
  }

  return {
    /** By name. */
    list,
    /** False until the first list has arrived. */
    isKnown: computed(() => found.value !== undefined),
    /** Whether this page may change them. */
    mayEdit: computed(() => found.value?.readOnly === false),
    /** Why they cannot be read now; '' if they can. */
    problem,
    byId: (id: string): Dashboard | undefined => list.value.find((one) => one.id === id),
    /** As {@link DashboardCalls.put}. */
    async put(dashboard: Dashboard, baseRevision: string): Promise<Dashboard> {
      const stored = await calls.put(dashboard, baseRevision);
      const others = list.value.filter(({ id }) => id !== stored.id);
      take(inOrder([...others, stored]));
      return stored;
    },
    async remove(dashboard: Dashboard): Promise<void> {
      await calls.delete(dashboard);
      take(list.value.filter(({ id }) => id !== dashboard.id));
    },
  };
});
