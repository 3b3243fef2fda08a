import { readTriggers } from '../../../proto/config/triggers/read-triggers.ts';
import type { Trigger, TriggerEntry } from '../../../proto/config/triggers/trigger.ts';
import { readJsonText, type JsonValue } from '../../../proto/config/text/json-text.ts';
import { compileUserPattern } from '../../base/user-pattern.ts';
import { chunksOf } from '../storage/chunks.ts';
import type { Store } from '../storage/store.ts';
import type { PartNames } from './firing.ts';

/** Size of the cache. */
const MAX_CACHED_PARTS = 5_000;

/** A part with the triggers of its current configuration. */
export interface TriggeredPart {
  readonly names: PartNames;
  readonly entries: readonly TriggerEntry[];
  /** The usable triggers that are not disabled. */
  readonly triggers: readonly Trigger[];
}

interface CachedEntries {
  readonly version: number;
  readonly entries: readonly TriggerEntry[];
}

/** Reads the triggers of parts, once for each version of a configuration. */
export class PartTriggers {
  readonly #store: Store;
  readonly #cache = new Map<string, CachedEntries>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Parts by id. Deleted ones are left out. */
  async of(partIds: readonly string[]): Promise<ReadonlyMap<string, TriggeredPart>> {
    const found = new Map<string, TriggeredPart>();
    for (const some of chunksOf(partIds)) {
      for (const row of await this.#rows(some)) {
        const { id, version, ...names } = row;
        const entries = await this.#entries(id, version);
        const triggers = entries.flatMap(({ trigger, isDisabled }) =>
          trigger === undefined || isDisabled ? [] : trigger,
        );
        found.set(id, { names: { partId: id, ...names }, entries, triggers });
      }
    }
    return found;
  }

  /** The current configuration of a part; null if it has none or it is not JSON. */
  async document(partId: string): Promise<JsonValue> {
    const row = await this.#store.db
      .selectFrom('parts')
      .innerJoin('part_versions', (join) =>
        join.onRef('part_versions.part_id', '=', 'parts.id').onRef('part_versions.number', '=', 'parts.version'),
      )
      .select('part_versions.text')
      .where('parts.id', '=', partId)
      .executeTakeFirst();
    return (row && readJsonText(row.text).root?.value) ?? null;
  }

  #rows(ids: readonly string[]) {
    return this.#store.db
      .selectFrom('parts')
      .innerJoin('machines', 'machines.id', 'parts.machine_id')
      .innerJoin('locations', 'locations.id', 'machines.location_id')
      .innerJoin('organizations', 'organizations.id', 'locations.organization_id')
      .select([
        'parts.id',
        'parts.version',
        'parts.name as partName',
        'machines.id as machineId',
        'machines.name as machineName',
        'locations.id as locationId',
        'locations.name as locationName',
        'organizations.id as organizationId',
        'organizations.name as organizationName',
      ])
      .where('parts.id', 'in', ids)
      .execute();
  }

  async #entries(partId: string, version: number): Promise<readonly TriggerEntry[]> {
    const known = this.#cache.get(partId);
    if (known?.version === version) return known.entries;
    const row = await this.#store.db
      .selectFrom('part_versions')
      .select('text')
      .where('part_id', '=', partId)
      .where('number', '=', version)
      .executeTakeFirst();
    const document = row === undefined ? undefined : readJsonText(row.text).root?.value;
    const { entries } = readTriggers(document ?? null, compileUserPattern);
    if (this.#cache.size >= MAX_CACHED_PARTS) this.#cache.clear();
    this.#cache.set(partId, { version, entries });
    return entries;
  }
}
