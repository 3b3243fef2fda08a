import type { LocationQuery } from 'vue-router';
import type { Presence } from '../../../proto/gen/core/hub/v1/presence.ts';
import { partLabel, presenceName, type PresenceName } from '../../shared/machine/part-words.ts';

export const stateChoices = ['all', 'online', 'offline', 'awaiting', 'failed'] as const;
export type StateChoice = (typeof stateChoices)[number];

/** Which machines are shown; '' means any. */
export interface FleetFilter {
  readonly text: string;
  /** Id of a location; it includes the locations inside it. */
  readonly location: string;
  readonly state: StateChoice;
}

export const everything: FleetFilter = { text: '', location: '', state: 'all' };

/** Reads the filter from an address; ignores what is not valid. */
export function filterOf(query: LocationQuery): FleetFilter {
  const text = (key: string): string => {
    const value = query[key];
    return (Array.isArray(value) ? value[0] : value) ?? '';
  };
  const state = stateChoices.find((choice) => choice === text('state')) ?? 'all';
  return { text: text('text'), location: text('location'), state };
}

export function queryOf({ text, location, state }: FleetFilter): Record<string, string> {
  return {
    ...(text === '' ? {} : { text }),
    ...(location === '' ? {} : { location }),
    ...(state === 'all' ? {} : { state }),
  };
}

export function isNarrowed({ text, location, state }: FleetFilter): boolean {
  return text !== '' || location !== '' || state !== 'all';
}

/** Made once: `localeCompare` with options makes a collator for each comparison. */
const byName = new Intl.Collator(undefined, { numeric: true });

/** Keeps parts sorted by name, and sorts again only when a name or the set of parts changes. */
export class FleetOrder {
  #ids: readonly string[] = [];
  #labels: ReadonlyMap<string, string> = new Map();

  sorted(parts: ReadonlyMap<string, Presence>): readonly Presence[] {
    if (!this.#isSame(parts)) {
      this.#labels = new Map([...parts].map(([id, part]) => [id, partLabel(part)]));
      this.#ids = [...this.#labels]
        .sort(([leftId, left], [rightId, right]) => byName.compare(left, right) || (leftId < rightId ? -1 : 1))
        .map(([id]) => id);
    }
    return this.#ids.flatMap((id) => parts.get(id) ?? []);
  }

  #isSame(parts: ReadonlyMap<string, Presence>): boolean {
    if (parts.size !== this.#labels.size) return false;
    for (const [id, part] of parts) if (this.#labels.get(id) !== partLabel(part)) return false;
    return true;
  }
}

/**
 * The parts that match a filter, in the given order.
 * @param within ids of the filter's location and of all inside it; ignored if the filter has no location
 * @param pathOf the name of a location, for the search for words
 */
export function shownParts(
  parts: readonly Presence[],
  filter: FleetFilter,
  within: ReadonlySet<string>,
  pathOf: (locationId: string) => string,
): readonly Presence[] {
  const words = filter.text
    .trim()
    .toLocaleLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return parts.filter((part) => {
    if (filter.location !== '' && !within.has(part.locationId)) return false;
    if (!isInState(part, filter.state)) return false;
    if (words.length === 0) return true;
    const { host, version, platform, locationId } = part;
    const haystack = `${partLabel(part)} ${pathOf(locationId)} ${host} ${version} ${platform}`.toLocaleLowerCase();
    return words.every((word) => haystack.includes(word));
  });
}

function isInState(part: Presence, state: StateChoice): boolean {
  if (state === 'all') return true;
  return state === 'failed' ? part.resourcesFailed > 0 : presenceName(part.state) === state;
}

export interface FleetCounts {
  readonly all: number;
  readonly online: number;
  readonly offline: number;
  readonly awaiting: number;
  readonly failed: number;
}

export function countsOf(parts: Iterable<Presence>): FleetCounts {
  const states: Record<PresenceName, number> = { online: 0, offline: 0, awaiting: 0 };
  let all = 0;
  let failed = 0;
  for (const part of parts) {
    all += 1;
    states[presenceName(part.state)] += 1;
    if (part.resourcesFailed > 0) failed += 1;
  }
  return { all, failed, ...states };
}
