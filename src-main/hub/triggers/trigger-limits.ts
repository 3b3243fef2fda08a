import { chunksOf } from '../storage/chunks.ts';
import type { Queries, WriteTransaction } from '../storage/tables.ts';
import type { TriggerLimitsTable } from './tables.ts';

/** The notifications and limits of the targets of a part's triggers. */
export function readLimits(db: Queries, partId: string): Promise<TriggerLimitsTable[]> {
  return db.selectFrom('trigger_limits').selectAll().where('part_id', '=', partId).execute();
}

/** The same, as a transaction changes it. */
export class PartLimits {
  readonly #partId: string;
  readonly #limits: Map<string, TriggerLimitsTable>;
  readonly #changed = new Set<string>();

  private constructor(partId: string, limits: readonly TriggerLimitsTable[]) {
    this.#partId = partId;
    this.#limits = new Map(limits.map((row) => [`${row.target_key} ${row.trigger_name}`, row]));
  }

  static async read(tx: WriteTransaction, partId: string): Promise<PartLimits> {
    return new PartLimits(partId, await readLimits(tx, partId));
  }

  /** When the last event happened for which a target was notified; undefined if there was none. */
  lastAt(triggerName: string, targetKey: string): number | undefined {
    return this.#limits.get(`${targetKey} ${triggerName}`)?.last_at;
  }

  queued(triggerName: string, targetKey: string, time: number): void {
    const row = this.#limit(triggerName, targetKey, time);
    this.#set({ ...row, last_at: time, queued: row.queued + 1, dropped_since: 0 });
  }

  dropped(triggerName: string, targetKey: string, time: number): void {
    const row = this.#limit(triggerName, targetKey, time);
    this.#set({ ...row, dropped: row.dropped + 1, dropped_since: row.dropped_since + 1 });
  }

  async write(tx: WriteTransaction): Promise<void> {
    const limits = [...this.#changed].flatMap((key) => this.#limits.get(key) ?? []);
    // One statement for each row would block other writers too long.
    for (const some of chunksOf(limits)) {
      await tx
        .insertInto('trigger_limits')
        .values(some)
        .onConflict((conflict) =>
          conflict.columns(['part_id', 'trigger_name', 'target_key']).doUpdateSet((row) => ({
            last_at: row.ref('excluded.last_at'),
            queued: row.ref('excluded.queued'),
            dropped: row.ref('excluded.dropped'),
            dropped_since: row.ref('excluded.dropped_since'),
          })),
        )
        .execute();
    }
  }

  #limit(triggerName: string, targetKey: string, time: number): TriggerLimitsTable {
    const known = this.#limits.get(`${targetKey} ${triggerName}`);
    if (known !== undefined) return known;
    const counts = { queued: 0, dropped: 0, dropped_since: 0 };
    return { part_id: this.#partId, trigger_name: triggerName, target_key: targetKey, last_at: time, ...counts };
  }

  #set(row: TriggerLimitsTable): void {
    const key = `${row.target_key} ${row.trigger_name}`;
    this.#limits.set(key, row);
    this.#changed.add(key);
  }
}
