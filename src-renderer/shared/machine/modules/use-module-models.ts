import { onScopeDispose, shallowRef, watch, type ShallowRef } from 'vue';
import { Module_State } from '../../../../proto/gen/core/status/v1/status.ts';
import { useMachineStatus } from '../../stores/machine-status.ts';
import { useMachine } from '../machine.ts';
import type { ModuleModelView } from './module-view.ts';

/** The models of the running modules, read again whenever the set of ready modules changes. */
export function useModuleModels(): Readonly<ShallowRef<readonly ModuleModelView[]>> {
  const machine = useMachine();
  const status = useMachineStatus();
  const models = shallowRef<readonly ModuleModelView[]>([]);
  let turn = 0;
  watch(
    () =>
      status.modules
        .filter(({ state }) => state === Module_State.READY)
        .map(({ name, pid, models: offered }) => [name, pid, ...offered].join(' '))
        .join(';'),
    async (ready) => {
      const own = ++turn;
      if (ready === '') {
        models.value = [];
        return;
      }
      try {
        const found = await machine.modules.models();
        if (own === turn) models.value = found;
      } catch {
        // Keeps the old list: the banner shows the connection, and the next change of a module asks again.
      }
    },
    { immediate: true },
  );
  onScopeDispose(() => turn++);
  return models;
}
