import { type Package, Package_State } from '../../../../proto/gen/core/status/v1/status.ts';
import { deploymentsOf, packagesIn, type DraftPackage } from '../../../shared/deploy/deployment.ts';
import type { Tone } from '../../../shared/machine/rpc/status-merge.ts';
import type { DraftResource } from '../../../shared/stores/draft-text.ts';

/** One package: of the draft, of the applied configuration, or of the machine only. */
export interface PackageRow {
  readonly name: string;
  /** `organization id/name`. */
  readonly packageId: string;
  /** Version or channel in the draft; the applied one if the draft removes the package. */
  readonly wanted: string;
  /** State on the machine; undefined if the machine does not have it. */
  readonly live: Package | undefined;
  readonly mark: 'added' | 'changed' | 'removed' | undefined;
  /** Resources of the draft that refer to it, and the vision services that use those. */
  readonly users: readonly DraftResource[];
}

type JsonObject = Readonly<Record<string, unknown>>;

export interface PackageSources {
  /** Root objects of the draft and of the applied configuration; the latter undefined if not known. */
  readonly root: JsonObject;
  readonly appliedRoot: JsonObject | undefined;
  readonly resources: readonly DraftResource[];
  readonly live: Iterable<Package>;
}

/** All packages in the order of the draft, then those that it removes, then those that only the machine has. */
export function packageRows({ root, appliedRoot, resources, live }: PackageSources): readonly PackageRow[] {
  const known = new Map([...live].map((one) => [one.name, one]));
  const draft = packagesIn(root).filter(({ name }) => name !== '');
  const applied = new Map(packagesIn(appliedRoot ?? root).map((one) => [one.name, one]));
  const seen = new Set(draft.map(({ name }) => name));
  const usersOf = ({ name, packageId }: DraftPackage): readonly DraftResource[] => {
    const found = deploymentsOf({ packages: draft, resources }, packageId).find((one) => one.package.name === name);
    return found === undefined ? [] : [...new Set([...found.users, ...found.visions])];
  };
  const rowOf = (one: DraftPackage, mark: PackageRow['mark']): PackageRow => ({
    name: one.name,
    packageId: one.packageId,
    wanted: one.version,
    live: known.get(one.name),
    mark,
    users: usersOf(one),
  });
  const removed = [...applied.values()].filter(({ name }) => name !== '' && !seen.has(name));
  const others = [...known.values()].filter(({ name }) => !seen.has(name) && !applied.has(name));
  return [
    ...draft.map((one) => rowOf(one, markOf(one, applied.get(one.name)))),
    ...removed.map((one) => rowOf(one, 'removed')),
    ...others.map((one) => ({
      ...{ name: one.name, packageId: one.package, wanted: one.wantedVersion },
      ...{ live: one, mark: undefined, users: [] },
    })),
  ];
}

function markOf(now: DraftPackage, before: DraftPackage | undefined): PackageRow['mark'] {
  if (before === undefined) return 'added';
  const isSame = now.packageId === before.packageId && now.version === before.version && now.type === before.type;
  return isSame ? undefined : 'changed';
}

/** Names of package states, as the message keys have them. */
export type PackageStateName = 'pending' | 'ready' | 'readyOther' | 'failed';

/** The state of a package. A ready package with a reason has another version than the wanted one. */
export function packageState({ state, reason }: Pick<Package, 'state' | 'reason'>): PackageStateName {
  if (state === Package_State.FAILED) return 'failed';
  if (state !== Package_State.READY) return 'pending';
  return reason === '' ? 'ready' : 'readyOther';
}

const tones: Readonly<Record<PackageStateName, Tone>> = {
  pending: 'warn',
  ready: 'ok',
  readyOther: 'warn',
  failed: 'bad',
};

export function packageTone(live: Pick<Package, 'state' | 'reason'>): Tone {
  return tones[packageState(live)];
}

/** Whether a retry may help: nothing is in progress, and the wanted version is not ready. */
export function mayRetry(live: Package): boolean {
  return live.state === Package_State.FAILED || (live.state === Package_State.READY && live.reason !== '');
}
