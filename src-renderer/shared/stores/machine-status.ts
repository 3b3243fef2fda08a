import { defineStore } from 'pinia';
import { computed, onScopeDispose, ref, shallowRef } from 'vue';
import { Resource_State } from '../../../proto/gen/core/status/v1/status.ts';
import { followStream } from '../machine/rpc/follow-stream.ts';
import { useMachine } from '../machine/machine.ts';
import { emptyStatus, machineTone, mergeStatus, readinessOf, type StatusView } from '../machine/rpc/status-merge.ts';

/** States of resources that exist in the machine. */
const built = new Set<Resource_State>([Resource_State.READY, Resource_State.CONFIGURING, Resource_State.REMOVING]);

/** The machine's resources and their states, live. */
export const useMachineStatus = defineStore('machine-status', () => {
  const machine = useMachine();
  const view = shallowRef<StatusView>(emptyStatus);
  const streamProblem = ref('');
  onScopeDispose(
    followStream({
      connection: machine.connection,
      open: (signal) => machine.watchStatus(signal),
      onItem: (event) => (view.value = mergeStatus(view.value, event)),
      onProblem: (message) => (streamProblem.value = message),
    }),
  );
  const info = computed(() => view.value.machine);
  const resources = computed(() => [...view.value.resources.values()]);
  const modules = computed(() => [...view.value.modules.values()]);
  const readiness = computed(() => readinessOf(resources.value));
  return {
    info,
    resources,
    modules,
    /** Packages of the running configuration. */
    packages: computed(() => [...view.value.packages.values()]),
    /** Connections to other machines. */
    remotes: computed(() => [...view.value.remotes.values()]),
    /** By the name that the configuration gives it. */
    moduleOf: (name: string) => view.value.modules.get(name),
    readiness,
    failed: computed(() => resources.value.filter(({ state }) => state === Resource_State.FAILED)),
    /** Whether a resource exists and may be moving; true for all until the machine has reported its status. */
    mayRun(fullName: string): boolean {
      const state = view.value.resources.get(fullName)?.state;
      return info.value === undefined || (state !== undefined && built.has(state));
    },
    streamProblem,
    /** False until the first snapshot. */
    isKnown: computed(() => info.value !== undefined),
    tone: computed(() => machineTone(info.value, readiness.value)),
  };
});
