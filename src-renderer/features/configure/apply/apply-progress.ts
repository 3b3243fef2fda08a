import { Resource_State, type Resource } from '../../../../proto/gen/core/status/v1/status.ts';
import { type ConfigPlan, type ConfigTrial, shortName } from '../../../shared/machine/machine-view.ts';

/** A resource that an apply touches, as it is now. */
export interface ProgressRow {
  readonly fullName: string;
  readonly name: string;
  readonly state: Resource_State | 'gone';
  /** Undefined where the machine does not have it: not yet, or not any more. */
  readonly view: Resource | undefined;
  /** Whether it decides that the machine goes back. */
  readonly isAwaited: boolean;
  /** Whether nothing more is to come of it. */
  readonly isDone: boolean;
}

const order: Readonly<Record<ProgressRow['state'], number>> = {
  [Resource_State.FAILED]: 0,
  [Resource_State.WAITING]: 1,
  [Resource_State.CONFIGURING]: 2,
  [Resource_State.REMOVING]: 2,
  [Resource_State.UNCONFIGURED]: 2,
  [Resource_State.UNSPECIFIED]: 2,
  [Resource_State.READY]: 3,
  [Resource_State.DISABLED]: 3,
  gone: 3,
};

/**
 * What an apply touches, worst first: the resources of its plan, and those that
 * the way back depends on. Without a plan (another page applied) only the latter.
 */
export function progressRows(
  plan: ConfigPlan | undefined,
  trial: ConfigTrial | undefined,
  resources: Iterable<Resource>,
): readonly ProgressRow[] {
  const views = new Map([...resources].map((view) => [view.name, view]));
  const awaited = new Set(trial?.awaited);
  const removed = new Set(plan?.resources.flatMap(({ kind, name }) => (kind === 'remove' ? [name] : [])));
  const names = new Set([...(plan?.resources ?? []).map(({ name }) => name), ...awaited]);
  const rows = [...names].map((fullName): ProgressRow => {
    const view = views.get(fullName);
    const state = view?.state ?? (removed.has(fullName) ? 'gone' : Resource_State.UNCONFIGURED);
    return {
      fullName,
      name: shortName(fullName),
      state,
      view,
      isAwaited: awaited.has(fullName),
      isDone:
        state === 'gone' ||
        (!removed.has(fullName) && (state === Resource_State.READY || state === Resource_State.DISABLED)),
    };
  });
  return rows.sort((left, right) => order[left.state] - order[right.state]);
}
