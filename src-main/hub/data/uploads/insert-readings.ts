import type { CompiledQuery } from 'kysely';
import type { WriteTransaction } from '../../storage/tables.ts';

/** Rows per statement. Few sizes, so that each statement is prepared only once; the largest has 5,000 values. */
const SIZES = [1_000, 100, 10, 1] as const;
const COLUMNS = ['id', 'capture_id', 'requested_at', 'received_at', 'payload'] as const;

/** A reading that is about to be stored. */
export interface NewReading {
  readonly requestedAt: number;
  readonly receivedAt: number;
  /** JSON. */
  readonly payload: string;
}

/**
 * Inserts readings, many rows per statement. Statements are compiled once: to run the query builder for each row costs
 * ten times as much as everything else.
 */
export class ReadingInserts {
  readonly #statements = new Map<number, CompiledQuery>();

  /**
   * Sends all statements at once: to wait for each takes longer than the statement itself.
   * @param firstId id of the first reading; the others have the following ids
   */
  async insert(
    readings: readonly NewReading[],
    firstId: number,
    captureId: number,
    tx: WriteTransaction,
  ): Promise<void> {
    const written: Promise<unknown>[] = [];
    for (let at = 0; at < readings.length;) {
      const size = SIZES.find((rows) => rows <= readings.length - at) ?? 1;
      const parameters: unknown[] = [];
      for (let index = at; index < at + size; index++) {
        const { requestedAt, receivedAt, payload } = readings[index] as NewReading;
        parameters.push(firstId + index, captureId, requestedAt, receivedAt, payload);
      }
      written.push(tx.executeQuery({ ...this.#statement(size, tx), parameters }));
      at += size;
    }
    await Promise.all(written);
  }

  #statement(size: number, tx: WriteTransaction): CompiledQuery {
    const known = this.#statements.get(size);
    if (known !== undefined) return known;
    const row = { id: 0, capture_id: 0, requested_at: 0, received_at: 0, payload: '' };
    const statement = tx
      .insertInto('readings')
      .columns(COLUMNS)
      .values(Array.from({ length: size }, () => row))
      .compile();
    this.#statements.set(size, statement);
    return statement;
  }
}
