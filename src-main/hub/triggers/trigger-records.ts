import type { ConditionResult } from '../../../proto/config/triggers/conditions.ts';
import { chunksOf } from '../storage/chunks.ts';
import type { Queries, WriteTransaction } from '../storage/tables.ts';
import type { TriggerLimitsTable } from './tables.ts';

/** Evaluations that are kept of each trigger. */
export const KEPT_EVALUATIONS = 10;
const LONGEST_READING = 4_000;

/** What became of one event for one trigger. */
export interface KeptEvaluation {
  /** When the event happened, wall-clock milliseconds. */
  readonly time: number;
  readonly outcome: 'fired' | 'not-fired' | 'dropped';
  /** Why nobody was told, or not everybody; '' where all were. */
  readonly reason: string;
  readonly results: readonly ConditionResult[];
  /** JSON of what was compared, cut; '' for none. */
  readonly reading: string;
}

/** A trigger's history in short. */
export interface TriggerRecord {
  readonly evaluated: number;
  readonly fired: number;
  /** Newest first. */
  readonly evaluations: readonly KeptEvaluation[];
}

export const noRecord: TriggerRecord = { evaluated: 0, fired: 0, evaluations: [] };

/** Records of a part's triggers by their names. */
export async function readRecords(db: Queries, partId: string): Promise<ReadonlyMap<string, TriggerRecord>> {
  const rows = await db.selectFrom('trigger_records').selectAll().where('part_id', '=', partId).execute();
  return new Map(
    rows.map(({ trigger_name, evaluated, fired, evaluations }) => [
      trigger_name,
      { evaluated, fired, evaluations: JSON.parse(evaluations) as KeptEvaluation[] },
    ]),
  );
}

/** What targets of a part's triggers were told. */
export function readLimits(db: Queries, partId: string): Promise<TriggerLimitsTable[]> {
  return db.selectFrom('trigger_limits').selectAll().where('part_id', '=', partId).execute();
}

/** Records and limits of one part, as a transaction changes them. */
export class PartRecords {
  readonly #partId: string;
  readonly #records: Map<string, TriggerRecord>;
  readonly #limits: Map<string, TriggerLimitsTable>;
  readonly #changedRecords = new Set<string>();
  readonly #changedLimits = new Set<string>();

  private constructor(
    partId: string,
    records: ReadonlyMap<string, TriggerRecord>,
    limits: readonly TriggerLimitsTable[],
  ) {
    this.#partId = partId;
    this.#records = new Map(records);
    this.#limits = new Map(limits.map((row) => [`${row.target_key} ${row.trigger_name}`, row]));
  }

  static async read(tx: WriteTransaction, partId: string): Promise<PartRecords> {
    return new PartRecords(partId, await readRecords(tx, partId), await readLimits(tx, partId));
  }

  /** @param isFired whether the conditions held, whoever was told */
  add(triggerName: string, evaluation: KeptEvaluation, isFired: boolean): void {
    const before = this.#records.get(triggerName) ?? noRecord;
    const reading = evaluation.reading.slice(0, LONGEST_READING);
    this.#records.set(triggerName, {
      evaluated: before.evaluated + 1,
      fired: before.fired + (isFired ? 1 : 0),
      evaluations: [{ ...evaluation, reading }, ...before.evaluations].slice(0, KEPT_EVALUATIONS),
    });
    this.#changedRecords.add(triggerName);
  }

  /** When the last event happened that a target was told of; undefined where it was told of none. */
  lastAt(triggerName: string, targetKey: string): number | undefined {
    return this.#limits.get(`${targetKey} ${triggerName}`)?.last_at;
  }

  queued(triggerName: string, targetKey: string, time: number): void {
    const row = this.#limit(triggerName, targetKey, time);
    this.#setLimit({ ...row, last_at: time, queued: row.queued + 1, dropped_since: 0 });
  }

  dropped(triggerName: string, targetKey: string, time: number): void {
    const row = this.#limit(triggerName, targetKey, time);
    this.#setLimit({ ...row, dropped: row.dropped + 1, dropped_since: row.dropped_since + 1 });
  }

  async write(tx: WriteTransaction): Promise<void> {
    const records = [...this.#changedRecords].map((trigger_name) => {
      const { evaluated, fired, evaluations } = this.#records.get(trigger_name) ?? noRecord;
      return { part_id: this.#partId, trigger_name, evaluated, fired, evaluations: JSON.stringify(evaluations) };
    });
    // A statement for each row would hold up everybody else who writes.
    for (const some of chunksOf(records)) {
      await tx
        .insertInto('trigger_records')
        .values(some)
        .onConflict((conflict) =>
          conflict.columns(['part_id', 'trigger_name']).doUpdateSet((row) => ({
            evaluated: row.ref('excluded.evaluated'),
            fired: row.ref('excluded.fired'),
            evaluations: row.ref('excluded.evaluations'),
          })),
        )
        .execute();
    }
    const limits = [...this.#changedLimits].flatMap((key) => this.#limits.get(key) ?? []);
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

  #setLimit(row: TriggerLimitsTable): void {
    const key = `${row.target_key} ${row.trigger_name}`;
    this.#limits.set(key, row);
    this.#changedLimits.add(key);
  }
}
