import { type Resource, Resource_State } from '../../../../proto/gen/core/status/v1/status.ts';
import {
  readinessOf,
  stateName,
  subtypeOf,
  type ResourceStateName,
  type Tone,
} from '../../../shared/machine/rpc/status-merge.ts';

/** With more resources, names and values would be too small to read: groups with their states are shown instead. */
export const MAX_PICTURED = 60;
/** A picture of more resources takes the whole width of the page. */
export const MAX_NARROW = 6;
/** On a narrower page a picture would be a column of boxes with wires behind them: groups are shown there too. */
export const narrowPage = '(max-width: 600px)';
/** Values are polled for this many resources of an open group. */
export const MAX_LIVE_ROWS = 60;

/** The resources of one API. */
export interface StateGroup {
  /** `motor` */
  readonly kind: string;
  /** Those that are not ready first, then by name. */
  readonly resources: readonly Resource[];
  readonly tone: Tone;
  /** How many are in each state, the worst first. */
  readonly counts: readonly { readonly state: ResourceStateName; readonly count: number }[];
}

const order: readonly Resource_State[] = [
  Resource_State.FAILED,
  Resource_State.WAITING,
  Resource_State.CONFIGURING,
  Resource_State.REMOVING,
  Resource_State.UNCONFIGURED,
  Resource_State.READY,
  Resource_State.DISABLED,
];
const rank = ({ state }: Resource): number => {
  const found = order.indexOf(state);
  return found < 0 ? order.length : found;
};
/** Made once: `localeCompare` with options would make one for each comparison. */
const inOrder = new Intl.Collator('en', { numeric: true });

/**
 * Whether a resource is itself why something is not ready: it failed, or it waits for something else than another
 * resource, such as a module.
 */
export function isCause({ state, waitingFor }: Resource, resources: readonly Resource[]): boolean {
  if (state === Resource_State.FAILED) return true;
  return state === Resource_State.WAITING && !resources.some(({ name }) => waitingFor.includes(name));
}

/** The resources of a machine by kind; the kinds with something that failed first, then the largest. */
export function stateGroups(resources: readonly Resource[]): readonly StateGroup[] {
  const byKind = new Map<string, Resource[]>();
  for (const resource of resources) {
    const kind = subtypeOf(resource.api);
    const group = byKind.get(kind);
    if (group === undefined) byKind.set(kind, [resource]);
    else group.push(resource);
  }
  return [...byKind]
    .map(([kind, all]) => ({ kind, readiness: readinessOf(all), resources: sorted(all) }))
    .sort(
      (one, other) =>
        Number(other.readiness.failed > 0) - Number(one.readiness.failed > 0) ||
        other.resources.length - one.resources.length ||
        inOrder.compare(one.kind, other.kind),
    )
    .map(({ kind, readiness, resources: all }) => ({
      kind,
      resources: all,
      tone: readiness.failed > 0 ? 'bad' : readiness.ready < readiness.expected ? 'warn' : 'ok',
      counts: countsOf(all),
    }));
}

function sorted(resources: readonly Resource[]): readonly Resource[] {
  const isLater = (resource: Resource): number => (resource.state === Resource_State.READY ? 1 : 0);
  return [...resources].sort(
    (one, other) => isLater(one) - isLater(other) || rank(one) - rank(other) || inOrder.compare(one.name, other.name),
  );
}

function countsOf(resources: readonly Resource[]): StateGroup['counts'] {
  const counts = new Map<ResourceStateName, number>();
  for (const { state } of [...resources].sort((one, other) => rank(one) - rank(other))) {
    counts.set(stateName(state), (counts.get(stateName(state)) ?? 0) + 1);
  }
  return [...counts].map(([state, count]) => ({ state, count }));
}
