import type { ConditionResult } from '../../../proto/config/triggers/conditions.ts';
import { Mutex } from '../../base/async/mutex.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { toArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { chunksOf } from '../storage/chunks.ts';
import type { Store } from '../storage/store.ts';
import type { Queries, WriteTransaction } from '../storage/tables.ts';
import type { TriggerRecordsTable } from './tables.ts';

/** Evaluations that are kept of each trigger. */
export const KEPT_EVALUATIONS = 10;
const LONGEST_READING = 4_000;
/** What is told waits so long to be written, with all that is told meanwhile. */
export const WRITTEN_AFTER_MS = 500;
/** Parts whose records one transaction writes. */
const PARTS_AT_ONCE = 20;

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

/** What one event came to for one trigger. */
export interface Evaluated {
  readonly partId: string;
  readonly triggerName: string;
  /** Whether the conditions held, whoever was told. */
  readonly isFired: boolean;
  /** Not called for what newer ones replace: the reasons cost more than all else. */
  readonly evaluation: () => KeptEvaluation;
}

/** Since the last write. */
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
 * What became of events for triggers, for people to read. It is written twice a second, apart from what anybody is owed:
 * a kill of the hub costs the evaluations of half a second, and no notification.
 */
export class TriggerRecords {
  readonly #options: TriggerRecordsOptions;
  /** By parts, and then by names of triggers. */
  #unwritten = new Map<string, Map<string, Unwritten>>();
  readonly #writing = new Mutex();
  #timer: Timer | undefined;

  constructor(options: TriggerRecordsOptions) {
    this.#options = options;
  }

  add({ partId, triggerName, isFired, evaluation }: Evaluated): void {
    this.#merge(partId, triggerName, { evaluated: 1, fired: isFired ? 1 : 0, evaluations: [evaluation] }, 'newer');
    this.#timer ??= this.#options.clock.after(WRITTEN_AFTER_MS, () => void this.#write());
  }

  /** Records of a part's triggers by their names. Throws where the store cannot be read. */
  of(partId: string): Promise<ReadonlyMap<string, TriggerRecord>> {
    // Not while some of it is neither here nor there.
    return this.#writing.run(async () => {
      const rows = await rowsOf(this.#options.store.db, [partId]);
      const records = new Map(rows.map((row) => [row.trigger_name, recordOf(row)]));
      for (const [name, added] of this.#unwritten.get(partId) ?? []) {
        records.set(name, combined(records.get(name), added));
      }
      return records;
    });
  }

  /** Writes what waits. Never rejects. */
  close(): Promise<void> {
    return this.#write();
  }

  /** Never rejects: what cannot be written waits for the next time. */
  #write(): Promise<void> {
    return this.#writing.run(async () => {
      this.#timer?.cancel();
      this.#timer = undefined;
      const unwritten = this.#unwritten;
      this.#unwritten = new Map();
      try {
        // Some parts at a time: who else writes is let in between.
        for (const partIds of chunksOf([...unwritten.keys()], PARTS_AT_ONCE)) {
          await this.#options.store.transaction((tx) => this.#writeParts(partIds, unwritten, tx));
          for (const partId of partIds) unwritten.delete(partId);
        }
      } catch (thrown) {
        const { message } = toArmatureError(thrown);
        this.#options.logger.warn(`What triggers came to is not stored yet: ${message}`);
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
    // Some may have been deleted since.
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
    // A statement for each row would hold up everybody else who writes.
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
    known.evaluations = both.slice(0, KEPT_EVALUATIONS);
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
    evaluations: [...fresh, ...known.evaluations].slice(0, KEPT_EVALUATIONS),
  };
}

function cut(evaluation: KeptEvaluation): KeptEvaluation {
  return { ...evaluation, reading: evaluation.reading.slice(0, LONGEST_READING) };
}
