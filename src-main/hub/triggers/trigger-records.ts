import type { ConditionResult } from '../../../proto/config/triggers/conditions.ts';
import { Mutex } from '../../base/async/mutex.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { toArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { chunksOf } from '../storage/chunks.ts';
import type { Store } from '../storage/store.ts';
import type { Queries, WriteTransaction } from '../storage/tables.ts';
import type { TriggerRecordsTable } from './tables.ts';

/** Evaluations that are kept for each trigger. */
export const MAX_EVALUATIONS = 10;
const MAX_READING_LENGTH = 4_000;
/** Delay before evaluations are written, together with those that come meanwhile. */
export const WRITE_DELAY_MS = 500;
/** Parts whose records one transaction writes. */
const PARTS_AT_ONCE = 20;

/** The result of evaluating one trigger for one event. */
export interface KeptEvaluation {
  /** When the event happened, wall-clock milliseconds. */
  readonly time: number;
  readonly outcome: 'fired' | 'not-fired' | 'dropped';
  /** Why not all targets were notified; '' if all were. */
  readonly reason: string;
  readonly results: readonly ConditionResult[];
  /** JSON of the reading that was compared, cut; '' for none. */
  readonly reading: string;
}

/** Summary of a trigger's history. */
export interface TriggerRecord {
  readonly evaluated: number;
  readonly fired: number;
  /** Newest first. */
  readonly evaluations: readonly KeptEvaluation[];
}

export const noRecord: TriggerRecord = { evaluated: 0, fired: 0, evaluations: [] };

/** An evaluation to record. */
export interface Evaluated {
  readonly partId: string;
  readonly triggerName: string;
  /** Whether the conditions held, no matter whether targets were notified. */
  readonly isFired: boolean;
  /** Not called if newer evaluations replace this one, because finding the reasons is expensive. */
  readonly evaluation: () => KeptEvaluation;
}

/** Changes since the last write. */
interface Unwritten {
  evaluated: number;
  fired: number;
  /** Newest first. */
  evaluations: (() => KeptEvaluation)[];
}

export interface TriggerRecordsOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Records the evaluations of triggers, for users to read. They are written twice a second, separately from
 * notifications: a kill of the hub loses the evaluations of half a second, but no notification.
 */
export class TriggerRecords {
  readonly #options: TriggerRecordsOptions;
  /** By part id, then by trigger name. */
  #unwritten = new Map<string, Map<string, Unwritten>>();
  readonly #writing = new Mutex();
  #timer: Timer | undefined;

  constructor(options: TriggerRecordsOptions) {
    this.#options = options;
  }

  add({ partId, triggerName, isFired, evaluation }: Evaluated): void {
    this.#merge(partId, triggerName, { evaluated: 1, fired: isFired ? 1 : 0, evaluations: [evaluation] }, 'newer');
    this.#timer ??= this.#options.clock.after(WRITE_DELAY_MS, () => void this.#write());
  }

  /** Records of a part's triggers, by name. Throws if the store cannot be read. */
  of(partId: string): Promise<ReadonlyMap<string, TriggerRecord>> {
    // Waits for a write in progress, during which records are neither in memory nor in the store.
    return this.#writing.run(async () => {
      const rows = await rowsOf(this.#options.store.db, [partId]);
      const records = new Map(rows.map((row) => [row.trigger_name, recordOf(row)]));
      for (const [name, added] of this.#unwritten.get(partId) ?? []) {
        records.set(name, combined(records.get(name), added));
      }
      return records;
    });
  }

  /** Writes pending records. Never rejects. */
  close(): Promise<void> {
    return this.#write();
  }

  /** Never rejects: records that cannot be written wait for the next time. */
  #write(): Promise<void> {
    return this.#writing.run(async () => {
      this.#timer?.cancel();
      this.#timer = undefined;
      const unwritten = this.#unwritten;
      this.#unwritten = new Map();
      try {
        // A few parts at a time, so that other writers get their turn.
        for (const partIds of chunksOf([...unwritten.keys()], PARTS_AT_ONCE)) {
          await this.#options.store.transaction((tx) => this.#writeParts(partIds, unwritten, tx));
          for (const partId of partIds) unwritten.delete(partId);
        }
      } catch (thrown) {
        const { message } = toArmatureError(thrown);
        this.#options.logger.warn(`The results of triggers are not stored yet: ${message}`);
        for (const [partId, byName] of unwritten) {
          for (const [name, older] of byName) this.#merge(partId, name, older, 'older');
        }
      }
    });
  }

  async #writeParts(
    partIds: readonly string[],
    unwritten: ReadonlyMap<string, ReadonlyMap<string, Unwritten>>,
    tx: WriteTransaction,
  ): Promise<void> {
    // Some parts may have been deleted since.
    const there = new Set(
      (await tx.selectFrom('parts').select('id').where('id', 'in', partIds).execute()).map(({ id }) => id),
    );
    const before = new Map(
      (await rowsOf(tx, partIds)).map((row) => [`${row.part_id} ${row.trigger_name}`, recordOf(row)]),
    );
    const rows = partIds
      .filter((partId) => there.has(partId))
      .flatMap((part_id) =>
        [...(unwritten.get(part_id) ?? [])].map(([trigger_name, added]): TriggerRecordsTable => {
          const record = combined(before.get(`${part_id} ${trigger_name}`), added);
          return { part_id, trigger_name, ...record, evaluations: JSON.stringify(record.evaluations) };
        }),
      );
    // One statement for each row would block other writers too long.
    for (const some of chunksOf(rows)) {
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
  }

  #merge(partId: string, triggerName: string, more: Unwritten, are: 'newer' | 'older'): void {
    const byName = this.#unwritten.get(partId) ?? new Map<string, Unwritten>();
    this.#unwritten.set(partId, byName);
    const known = byName.get(triggerName) ?? { evaluated: 0, fired: 0, evaluations: [] };
    known.evaluated += more.evaluated;
    known.fired += more.fired;
    const both =
      are === 'newer' ? [...more.evaluations, ...known.evaluations] : [...known.evaluations, ...more.evaluations];
    known.evaluations = both.slice(0, MAX_EVALUATIONS);
    byName.set(triggerName, known);
  }
}

function rowsOf(db: Queries, partIds: readonly string[]): Promise<TriggerRecordsTable[]> {
  return db.selectFrom('trigger_records').selectAll().where('part_id', 'in', partIds).execute();
}

function recordOf({ evaluated, fired, evaluations }: TriggerRecordsTable): TriggerRecord {
  return { evaluated, fired, evaluations: JSON.parse(evaluations) as KeptEvaluation[] };
}

function combined(known: TriggerRecord = noRecord, { evaluated, fired, evaluations }: Unwritten): TriggerRecord {
  const fresh = evaluations.map((evaluation) => cut(evaluation()));
  return {
    evaluated: known.evaluated + evaluated,
    fired: known.fired + fired,
    evaluations: [...fresh, ...known.evaluations].slice(0, MAX_EVALUATIONS),
  };
}

function cut(evaluation: KeptEvaluation): KeptEvaluation {
  return { ...evaluation, reading: evaluation.reading.slice(0, MAX_READING_LENGTH) };
}
