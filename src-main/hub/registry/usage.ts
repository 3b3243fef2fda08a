import { readJsonText } from '../../../proto/config/text/json-text.ts';
import { LooseObject } from '../../base/loose-object.ts';
import type { Store } from '../storage/store.ts';

/** Configurations that are read at once. */
const BATCH = 50;

interface PartUsage {
  readonly version: number;
  readonly machineId: string;
  readonly moduleIds: readonly string[];
}

/**
 * Counts the machines that name a module in their current configuration. Reads each configuration once, and again only
 * when it changes.
 */
export class ModuleUsage {
  readonly #store: Store;
  readonly #parts = new Map<string, PartUsage>();
  #counts: ReadonlyMap<string, number> = new Map();
  #looking: Promise<ReadonlyMap<string, number>> | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Number of machines by module id. Modules that no machine names are left out. */
  counts(): Promise<ReadonlyMap<string, number>> {
    this.#looking ??= this.#look().finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  async #look(): Promise<ReadonlyMap<string, number>> {
    const parts = await this.#store.db.selectFrom('parts').select(['id', 'version', 'machine_id']).execute();
    const ids = new Set(parts.map(({ id }) => id));
    const gone = [...this.#parts.keys()].filter((id) => !ids.has(id));
    const changed = parts.filter(({ id, version }) => this.#parts.get(id)?.version !== version);
    for (const id of gone) this.#parts.delete(id);
    for (let begin = 0; begin < changed.length; begin += BATCH) await this.#read(changed.slice(begin, begin + BATCH));
    if (gone.length > 0 || changed.length > 0) this.#counts = this.#count();
    return this.#counts;
  }

  async #read(
    parts: readonly { readonly id: string; readonly version: number; readonly machine_id: string }[],
  ): Promise<void> {
    const texts = await this.#store.db
      .selectFrom('part_versions')
      .select(['part_id', 'number', 'text'])
      .where((where) => where.or(parts.map(({ id, version }) => where.and({ part_id: id, number: version }))))
      .execute();
    for (const { id, version, machine_id } of parts) {
      const text = texts.find(({ part_id }) => part_id === id)?.text ?? '';
      this.#parts.set(id, { version, machineId: machine_id, moduleIds: moduleIdsIn(text) });
    }
  }

  #count(): ReadonlyMap<string, number> {
    const machines = new Map<string, Set<string>>();
    for (const { machineId, moduleIds } of this.#parts.values()) {
      for (const id of moduleIds) machines.set(id, (machines.get(id) ?? new Set()).add(machineId));
    }
    return new Map([...machines].map(([id, all]) => [id, all.size]));
  }
}

function moduleIdsIn(text: string): string[] {
  // Most configurations have no modules: this saves parsing them.
  if (!text.includes('module_id')) return [];
  const modules = new LooseObject(readJsonText(text).root?.value).objects('modules');
  return [...new Set(modules.map((entry) => entry.text('module_id')).filter((id) => id !== ''))];
}
