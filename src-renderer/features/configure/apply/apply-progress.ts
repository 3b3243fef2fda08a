import { Resource_State, type Resource } from '../../../../proto/gen/core/status/v1/status.ts';
import { type ConfigPlan, type ConfigTrial, shortName } from '../../../shared/machine/machine-view.ts';

/** A resource that an apply affects, in its present state. */
export interface ProgressRow {
  readonly fullName: string;
  readonly name: string;
  readonly state: Resource_State | 'gone';
  /** Undefined if the machine does not have it: not yet, or no longer. */
  readonly view: Resource | undefined;
  /** Whether the machine rolls back if it does not become ready. */
  readonly isAwaited: boolean;
  /** Whether it has reached its final state. */
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
 * The resources that an apply affects, worst first: those of its plan, and those
 * that the trial waits for. Without a plan (another page applied) only the latter.
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
