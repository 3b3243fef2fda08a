import { computed, ref, shallowRef, type Ref } from 'vue';
import type { Module } from '../../../../proto/gen/core/status/v1/status.ts';
import { messageOf } from '../../../shared/machine/rpc/follow-stream.ts';
import { useMachine } from '../../../shared/machine/machine.ts';
import { carriedBy } from '../../../shared/machine/modules/module-resources.ts';
import { useMachineStatus } from '../../../shared/stores/machine-status.ts';
import { movingOf, type Moving } from './moving.ts';

/** Restarts a module: at once if none of its resources moves, else after the person has confirmed. */
export function useRestart(module: Readonly<Ref<Module | undefined>>) {
  const machine = useMachine();
  const status = useMachineStatus();
  const step = ref<'checking' | 'doing'>();
  const failure = ref('');
  /** What moves, while the person is asked to confirm; undefined otherwise. */
  const question = shallowRef<Moving>();

  async function run(): Promise<void> {
    const name = module.value?.name;
    if (name === undefined || step.value === 'doing') return;
    question.value = undefined;
    failure.value = '';
    step.value = 'doing';
    try {
      await machine.modules.restart(name);
    } catch (thrown) {
      failure.value = messageOf(thrown);
    } finally {
      step.value = undefined;
    }
  }

  return {
    isBusy: computed(() => step.value !== undefined),
    step,
    failure,
    question,
    async ask(): Promise<void> {
      if (module.value === undefined || step.value !== undefined) return;
      const { served, dependents } = carriedBy(module.value, status.resources);
      step.value = 'checking';
      failure.value = '';
      let found: Moving;
      try {
        found = await movingOf(machine, [...served, ...dependents]);
      } catch (thrown) {
        failure.value = messageOf(thrown);
        return;
      } finally {
        step.value = undefined;
      }
      if (found.moving.length + found.unknown.length > 0) question.value = found;
      else await run();
    },
    run,
    cancel: (): void => void (question.value = undefined),
  };
}
