import type { DataSource } from '../../../../proto/gen/core/hub/v1/data.ts';
import type { SourceKey } from '../data-address.ts';

/** The sources of one part. */
export interface SourceGroup {
  readonly partId: string;
  /** Name of the machine, and of the part where the machine has several. */
  readonly label: string;
  readonly isHere: boolean;
  readonly sources: readonly DataSource[];
}

export interface SourceGroups {
  readonly groups: readonly SourceGroup[];
  /** Number of sources that were found but are beyond the limit of the list. */
  readonly left: number;
}

const MAX_LISTED = 300;

/** The key of a source as one text, for lists. */
export function sourceId({ partId, componentType, componentName, methodName, isBinary }: SourceKey): string {
  return JSON.stringify([partId, componentType, componentName, methodName, isBinary]);
}

export function isSameSource(one: SourceKey | undefined, other: SourceKey | undefined): boolean {
  return one !== undefined && other !== undefined && sourceId(one) === sourceId(other);
}

/** Groups the sources that contain all words of a search by part: the part of this page first, the others by name. */
export function groupSources(sources: readonly DataSource[], search: string, herePartId: string): SourceGroups {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const found = sources.filter((source) => words.every((word) => searched(source).includes(word)));
  const collator = new Intl.Collator('en', { numeric: true });
  const parts = new Map<string, DataSource[]>();
  for (const source of found) {
    const known = parts.get(source.partId);
    if (known === undefined) parts.set(source.partId, [source]);
    else known.push(source);
  }
  const byPart = [...parts].map(([partId, some]) => ({
    partId,
    label: labelOf(some, sources),
    isHere: partId === herePartId,
    sources: some.sort(
      (a, b) =>
        collator.compare(a.componentName, b.componentName) ||
        collator.compare(a.methodName, b.methodName) ||
        Number(a.isBinary) - Number(b.isBinary),
    ),
  }));
  byPart.sort((a, b) => Number(b.isHere) - Number(a.isHere) || collator.compare(a.label, b.label));
  let room = MAX_LISTED;
  const groups = byPart.flatMap((group) => {
    const shown = group.sources.slice(0, room);
    room -= shown.length;
    return shown.length === 0 ? [] : [{ ...group, sources: shown }];
  });
  return { groups, left: Math.max(0, found.length - MAX_LISTED) };
}

function searched({ machineName, partName, componentName, methodName, componentType }: DataSource): string {
  return [machineName, partName, componentName, methodName, componentType].join(' ').toLowerCase();
}

/** Label of a group, from its newest source: machines may be renamed. */
function labelOf(some: readonly DataSource[], all: readonly DataSource[]): string {
  const newest = some.reduce((one, other) => ((other.last ?? 0) > (one.last ?? 0) ? other : one));
  const { machineId, machineName, partName } = newest;
  const parts = new Set(all.filter((source) => source.machineId === machineId).map(({ partId }) => partId));
  return parts.size > 1 ? `${machineName} / ${partName}` : machineName;
}
