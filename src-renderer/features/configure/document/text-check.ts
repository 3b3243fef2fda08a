import { computed, onScopeDispose, shallowRef, watch } from 'vue';
import { messageOf } from '../../../shared/machine/rpc/follow-stream.ts';
import type { Machine } from '../../../shared/machine/machine.ts';
import type { ConfigPlan, Problem } from '../../../shared/machine/machine-view.ts';
import { useConnection } from '../../../shared/stores/connection.ts';
import type { DraftEditing } from './editing/draft-editing.ts';

/** The text is read and checked this long after the last key, so that neither slows typing down. */
const pauseMs = 300;

/** The machine's check of a text: its problems, and what applying it would do. */
interface Check {
  readonly text: string;
  readonly problems: readonly Problem[];
  readonly plan: ConfigPlan | undefined;
  readonly failure: string;
}

/** Has the machine check the text at each pause in typing. */
export function useTextCheck(machine: Machine, editing: DraftEditing) {
  const { draft, text, hasChanges } = editing;
  const connection = useConnection();
  const check = shallowRef<Check>();
  /** Counts the checks, because their answers may come in another order. */
  let checks = 0;

  let timer: ReturnType<typeof setTimeout> | undefined;
  watch(
    [text, () => connection.isConnected, () => draft.value?.base.revision],
    () => {
      clearTimeout(timer);
      if (draft.value === undefined) return;
      timer = setTimeout(() => {
        editing.settle();
        // In a task of its own, so that the browser can draw the new model first.
        timer = setTimeout(() => void checkNow());
      }, pauseMs);
    },
    { immediate: true },
  );
  onScopeDispose(() => clearTimeout(timer));

  /** Has the machine check the current text; ignores the answer if the text has changed meanwhile. */
  async function checkNow(): Promise<void> {
    const asked = text.value;
    checks += 1;
    const own = checks;
    const failed = (failure: string): Check => ({ text: asked, problems: problems.value, plan: undefined, failure });
    let result: Check;
    if (connection.isConnected) {
      try {
        result = { text: asked, ...(await checkText(machine, asked, () => hasChanges.value)), failure: '' };
      } catch (thrown) {
        result = failed(messageOf(thrown));
      }
    } else {
      result = failed('');
    }
    if (own === checks && asked === text.value) check.value = result;
  }

  const isChecked = computed(() => check.value?.text === text.value && check.value.failure === '');
  /** Problems of the current text; while it is being checked, those of the previous one. */
  const problems = computed<readonly Problem[]>(() => check.value?.problems ?? []);
  const errors = computed(() => problems.value.filter((problem) => problem.severity === 'error'));
  return {
    problems,
    isChecked,
    errors,
    /** The text of now has errors, and not only an earlier one. */
    isKnownWrong: computed(() => isChecked.value && errors.value.length > 0),
    failure: computed(() => check.value?.failure ?? ''),
    /** What applying the current text would do; undefined until it has been checked without errors. */
    plan: computed(() => (isChecked.value ? check.value?.plan : undefined)),
    /** Takes the problems for which the machine refused a text, instead of asking again. */
    refused: (asked: string, found: readonly Problem[]): void => {
      check.value = { text: asked, problems: found, plan: undefined, failure: '' };
    },
  };
}

/**
 * Gets the problems of a text and, if none of them is an error, what applying it would do.
 * @param isWanted whether the plan is wanted; asked once the problems are known
 */
export async function checkText(
  { config }: Pick<Machine, 'config'>,
  text: string,
  isWanted: () => boolean = () => true,
): Promise<Pick<Check, 'problems' | 'plan'>> {
  const problems = await config.validate(text);
  const isPlannable = isWanted() && !problems.some(({ severity }) => severity === 'error');
  return { problems, plan: isPlannable ? await config.plan(text) : undefined };
}
