import {
  shortName,
  type ConfigPlan,
  type ConfigTrial,
  type ResourceStateKind,
  type ResourceView,
} from '../../../shared/machine/machine-view.ts';

/** A resource that an apply touches, as it is now. */
export interface ProgressRow {
  readonly fullName: string;
  readonly name: string;
  readonly state: ResourceStateKind | 'gone';
  /** Undefined where the machine does not have it: not yet, or not any more. */
  readonly view: ResourceView | undefined;
  /** Whether it decides that the machine goes back. */
  readonly isAwaited: boolean;
  /** Whether nothing more is to come of it. */
  readonly isDone: boolean;
}

const order: Readonly<Record<ProgressRow['state'], number>> = {
  failed: 0,
  waiting: 1,
  configuring: 2,
  removing: 2,
  unconfigured: 2,
  ready: 3,
  disabled: 3,
  gone: 3,
};

/**
 * What an apply touches, worst first: the resources of its plan, and those that
 * the way back depends on. Without a plan (another page applied) only the latter.
 */
export function progressRows(
  plan: ConfigPlan | undefined,
  trial: ConfigTrial | undefined,
  resources: Iterable<ResourceView>,
): readonly ProgressRow[] {
  const views = new Map([...resources].map((view) => [view.fullName, view]));
  const awaited = new Set(trial?.awaited);
  const removed = new Set(plan?.resources.flatMap(({ kind, name }) => (kind === 'remove' ? [name] : [])));
  const names = new Set([...(plan?.resources ?? []).map(({ name }) => name), ...awaited]);
  const rows = [...names].map((fullName): ProgressRow => {
    const view = views.get(fullName);
    const state = view?.state ?? (removed.has(fullName) ? 'gone' : 'unconfigured');
    return {
      fullName,
      name: shortName(fullName),
      state,
      view,
      isAwaited: awaited.has(fullName),
      isDone: state === 'gone' || (!removed.has(fullName) && (state === 'ready' || state === 'disabled')),
    };
  });
  return rows.sort((left, right) => order[left.state] - order[right.state]);
}
