import type { Clock } from '../../base/clock.ts';
import type { Caller } from '../access/caller.ts';
import type { PartSecrets } from '../access/keys/part-secrets.ts';
import type { Place } from '../places/place.ts';
import type { Fleet } from './fleet.ts';
import { NEVER_ONLINE, seenOnline, type PresenceReader } from './online-state.ts';
import type { Part } from './parts.ts';
import type { PartFacts } from './calls/wire-fleet.ts';

/** Sources of the data in messages of parts. */
export interface PartFactsSources {
  readonly fleet: Fleet;
  readonly partSecrets: PartSecrets;
  readonly presence: PresenceReader;
  readonly clock: Clock;
  readonly versions: {
    /** Current configurations by part id; parts without one are left out. */
    currentTexts(parts: readonly Part[]): Promise<ReadonlyMap<string, string>>;
  };
}

/**
 * Reads the data for the messages of parts.
 * @param knownTexts their current configurations by part id; read if left out
 */
export async function partFacts(
  sources: PartFactsSources,
  rows: readonly Part[],
  knownTexts?: ReadonlyMap<string, string>,
): Promise<PartFacts[]> {
  const { fleet, partSecrets, presence, clock, versions } = sources;
  const [texts, secrets, seen] = await Promise.all([
    knownTexts ?? versions.currentTexts(rows),
    partSecrets.list(rows.map(({ id }) => id)),
    seenOnline(presence, clock.now(), rows),
  ]);
  const machines = new Map(
    await Promise.all(
      [...new Set(rows.map(({ machine_id }) => machine_id))].map(
        async (id) => [id, await fleet.machines.get(id)] as const,
      ),
    ),
  );
  return rows.flatMap((row) => {
    const of = machines.get(row.machine_id);
    if (of === undefined) return [];
    const own = secrets.filter(({ part_id }) => part_id === row.id);
    return [
      { part: row, machine: of, seen: seen.get(row.id) ?? NEVER_ONLINE, text: texts.get(row.id) ?? '', secrets: own },
    ];
  });
}

/** The data of a part as a caller may see it. */
export function factsFor(caller: Caller, place: Place, facts: PartFacts): PartFacts {
  return { ...facts, text: caller.textAt(place, facts.text) };
}
