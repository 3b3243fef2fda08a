import { computed, onScopeDispose, shallowRef, watch } from 'vue';
import { messageOf } from '../../../shared/machine/rpc/follow-stream.ts';
import type { Machine } from '../../../shared/machine/machine.ts';
import type { ConfigPlan, Problem } from '../../../shared/machine/machine-view.ts';
import { useConnection } from '../../../shared/stores/connection.ts';
import type { DraftEditing } from './editing/draft-editing.ts';

/** After the last key: the text is read and checked then, so that neither slows the typing down. */
const pauseMs = 300;

/** What the machine said about a text: problems, and what applying it would do. */
interface Check {
  readonly text: string;
  readonly problems: readonly Problem[];
  readonly plan: ConfigPlan | undefined;
  readonly failure: string;
}

/** Asks the machine about the text at each pause in typing. */
export function useTextCheck(machine: Machine, editing: DraftEditing) {
  const { draft, text, hasChanges } = editing;
  const connection = useConnection();
  const check = shallowRef<Check>();
  /** Counts the checks: their answers may come in another order. */
  let checks = 0;

  let timer: ReturnType<typeof setTimeout> | undefined;
  watch(
    [text, () => connection.isConnected, () => draft.value?.base.revision],
    () => {
      clearTimeout(timer);
      if (draft.value === undefined) return;
      timer = setTimeout(() => {
        editing.settle();
        // A task of its own: what was read can be drawn before.
        timer = setTimeout(() => void checkNow());
      }, pauseMs);
    },
    { immediate: true },
  );
  onScopeDispose(() => clearTimeout(timer));

  /** Asks the machine about the text as it is; an answer to an older question is thrown away. */
  async function checkNow(): Promise<void> {
    const asked = text.value;
    checks += 1;
    const own = checks;
    const failed = (failure: string): Check => ({ text: asked, problems: problems.value, plan: undefined, failure });
    let result: Check;
    if (connection.isConnected) {
      try {
        result = { text: asked, ...(await judged(machine, asked, () => hasChanges.value)), failure: '' };
      } catch (thrown) {
        result = failed(messageOf(thrown));
      }
    } else {
      result = failed('');
    }
    if (own === checks && asked === text.value) check.value = result;
  }

  const isChecked = computed(() => check.value?.text === text.value && check.value.failure === '');
  /** Of the text as it is; while it is being checked, those of the text before. */
  const problems = computed<readonly Problem[]>(() => check.value?.problems ?? []);
  return {
    problems,
    isChecked,
    errors: computed(() => problems.value.filter((problem) => problem.severity === 'error')),
    failure: computed(() => check.value?.failure ?? ''),
    /** What applying would do, as far as the present text is known to be sound. */
    plan: computed(() => (isChecked.value ? check.value?.plan : undefined)),
    /** The machine refused a text with these problems: no need to ask again. */
    refused: (asked: string, found: readonly Problem[]): void => {
      check.value = { text: asked, problems: found, plan: undefined, failure: '' };
    },
  };
}

/**
 * What is wrong with a text and, where that is nothing that keeps it from being applied, what applying it would do.
 * @param isWanted whether anybody wants the plan, once the problems are known
 */
export async function judged(
  { config }: Pick<Machine, 'config'>,
  text: string,
  isWanted: () => boolean = () => true,
): Promise<Pick<Check, 'problems' | 'plan'>> {
  const problems = await config.validate(text);
  const isPlannable = isWanted() && !problems.some(({ severity }) => severity === 'error');
  return { problems, plan: isPlannable ? await config.plan(text) : undefined };
}
