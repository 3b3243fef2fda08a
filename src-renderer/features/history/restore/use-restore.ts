import { computed, ref, shallowRef, watch, type Ref } from 'vue';
import { messageOf } from '../../../shared/machine/rpc/follow-stream.ts';
import { useMachine } from '../../../shared/machine/machine.ts';
import type { ConfigPlan, Problem } from '../../../shared/machine/machine-view.ts';
import { useAppliedConfig } from '../../../shared/stores/applied-config.ts';
import { useConnection } from '../../../shared/stores/connection.ts';
import { useReturnTime } from '../../../shared/stores/return-time.ts';

/** How the last restore went. */
export type RestoreOutcome =
  | { readonly kind: 'restored'; readonly number: number; readonly revision: string }
  | { readonly kind: 'conflict'; readonly number: number }
  | { readonly kind: 'refused'; readonly number: number; readonly problems: readonly Problem[] }
  | { readonly kind: 'failed'; readonly number: number; readonly reason: string }
  /** No answer came: it may have been done. */
  | { readonly kind: 'unconfirmed'; readonly number: number; readonly reason: string };

/** Plans what restoring the open version would do to the machine as it runs now, and restores it. */
export function useRestore(open: Readonly<Ref<number | undefined>>, text: Readonly<Ref<string | undefined>>) {
  const machine = useMachine();
  const connection = useConnection();
  const applied = useAppliedConfig();
  const returnTime = useReturnTime();
  const planned = shallowRef<{ readonly text: string; readonly revision: string; readonly plan: ConfigPlan }>();
  const planProblem = ref('');
  const isBusy = ref(false);
  const outcome = shallowRef<RestoreOutcome>();
  let turn = 0;

  /** Changes when the plan must be made again: after another configuration, or another result of applying it. */
  const planInputs = computed(() => {
    const { revision, result } = applied.document ?? {};
    return [revision, result?.outcome, result?.at].join(' ');
  });

  async function makePlan(): Promise<void> {
    const own = ++turn;
    const wanted = text.value;
    const { document } = applied;
    planProblem.value = '';
    if (planned.value?.text !== wanted || planned.value?.revision !== document?.revision) planned.value = undefined;
    if (wanted === undefined || document === undefined || wanted === document.text || !connection.isConnected) return;
    try {
      const plan = await machine.config.plan(wanted);
      if (own === turn) planned.value = { text: wanted, revision: document.revision, plan };
    } catch (thrown) {
      if (own === turn) planProblem.value = messageOf(thrown);
    }
  }
  watch([text, planInputs, () => connection.isConnected], () => void makePlan(), { immediate: true });
  watch(open, (number) => {
    if (outcome.value !== undefined && outcome.value.kind !== 'restored' && outcome.value.number !== number) {
      outcome.value = undefined;
    }
  });

  /** Restores the open version, but only if the configuration that the shown plan was made for is still stored. */
  async function restore(): Promise<void> {
    const number = open.value;
    const ready = planned.value;
    if (number === undefined || ready === undefined || isBusy.value) return;
    isBusy.value = true;
    outcome.value = undefined;
    try {
      const answer = await machine.history.restore(number, ready.revision, returnTime.ms);
      switch (answer.kind) {
        case 'applied':
          outcome.value = { kind: 'restored', number, revision: answer.revision };
          break;
        case 'conflict':
          outcome.value = { kind: 'conflict', number };
          break;
        case 'refused':
          outcome.value = { kind: 'refused', number, problems: answer.problems };
          break;
        case 'failed':
          outcome.value = { kind: 'failed', number, reason: answer.reason };
      }
    } catch (thrown) {
      outcome.value = { kind: 'unconfirmed', number, reason: messageOf(thrown) };
    } finally {
      isBusy.value = false;
    }
  }

  return {
    /** Undefined while it is made, and if there is nothing to restore. */
    plan: computed(() => planned.value?.plan),
    planProblem,
    isBusy,
    outcome,
    restore,
    again: makePlan,
    dismiss: (): void => void (outcome.value = undefined),
  };
}
