import { TriggerEvaluation_Outcome, type TriggerState } from '../../../../proto/gen/core/hub/v1/trigger.ts';
import type { Problem } from '../../../shared/machine/machine-view.ts';
import type { Tone } from '../../../shared/machine/rpc/status-merge.ts';
import { problemsUnder, type DraftTrigger } from './draft-triggers.ts';

export type StateName = 'watching' | 'disabled' | 'broken' | 'added' | 'changed';

export const stateTones: Readonly<Record<StateName, Tone | 'info'>> = {
  watching: 'ok',
  disabled: 'off',
  broken: 'bad',
  added: 'info',
  changed: 'info',
};

/** The state of a trigger: errors come before unapplied changes. */
export function stateOf(trigger: DraftTrigger, problems: readonly Problem[]): StateName {
  const isBroken = problemsUnder(problems, trigger.pointer).some(({ severity }) => severity === 'error');
  if (isBroken) return 'broken';
  if (trigger.mark !== undefined) return trigger.mark;
  return trigger.isDisabled ? 'disabled' : 'watching';
}

/** When it last fired, judged by its targets and last evaluations; undefined if these do not say. */
export function lastFired(state: TriggerState | undefined): number | undefined {
  const times = (state?.targets ?? []).flatMap(({ last }) => last?.getTime() ?? []);
  const fired = state?.evaluations.find(({ outcome }) => outcome !== TriggerEvaluation_Outcome.NOT_FIRED)?.time;
  if (fired !== undefined) times.push(fired.getTime());
  return times.length === 0 ? undefined : Math.max(...times);
}
