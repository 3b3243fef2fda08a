import { setTimeout as wait } from 'node:timers/promises';
import { Mutex } from '../../base/async/mutex.ts';
import { StoreFailure, type StoreFailureKind } from './store-failure.ts';
import type { Database, WriteTransaction } from './tables.ts';

/** What is known of a store beside its rows. */
export interface StoreFacts {
  readonly kind: 'sqlite' | 'postgres';
  /** Where it is, for messages: a folder, or an address without its password. */
  readonly place: string;
}

/**
 * PostgreSQL refuses one of two transactions that saw each other's changes; run again it succeeds. Some of
 * them it refuses for the row that the other one made or deleted: then the second attempt sees that row.
 */
const POSTGRES_ATTEMPTS: ReadonlyMap<StoreFailureKind, number> = new Map([
  ['conflict', 10],
  ['unique', 3],
  ['foreign-key', 3],
]);

/**
 * Where a hub keeps everything. The same queries run on both kinds:
 * transactions behave as if one ran after the other.
 */
export class Store implements StoreFacts {
  readonly kind: 'sqlite' | 'postgres';
  readonly place: string;
  /** For reading; each query sees what was committed before it. */
  readonly db: Database;
  /**
   * A hint: another one after each change of the store, by whatever program, and perhaps without one; undefined where
   * only a query can tell. A bad disk may let a change be read only long after. Costs next to nothing: for who looks a
   * few times a second.
   */
  readonly trace: () => string | undefined;
  readonly #retries = new Mutex();
  readonly #endings = new WeakMap<WriteTransaction, ((isCommitted: boolean) => void)[]>();

  constructor(facts: StoreFacts, db: Database, trace: () => string | undefined) {
    this.kind = facts.kind;
    this.place = facts.place;
    this.db = db;
    this.trace = trace;
  }

  /**
   * Runs `work` as one transaction: all of it is stored, durably, or nothing.
   * It may be run more than once and must do nothing but query.
   * @throws {StoreFailure} of kind `conflict` when others were quicker each time
   */
  async transaction<T>(work: (transaction: WriteTransaction) => Promise<T>): Promise<T> {
    let leave: (() => void) | undefined;
    try {
      for (let attempt = 1; ; attempt++) {
        try {
          return await this.#attempt(work);
        } catch (thrown) {
          if (!(thrown instanceof StoreFailure) || attempt >= this.#attempts(thrown.kind)) throw thrown;
          await wait(Math.random() * 2 ** attempt);
          // Those that were refused go one at a time, or they would refuse each other again.
          leave ??= await this.#retries.lock();
        }
      }
    } finally {
      leave?.();
    }
  }

  /**
   * Calls back when a transaction under way has ended: what it stored can be read then, if it is committed. It may be
   * where it is said not to be: then the store was lost while it was asked.
   */
  onEnd(transaction: WriteTransaction, callback: (isCommitted: boolean) => void): void {
    this.#endings.set(transaction, [...(this.#endings.get(transaction) ?? []), callback]);
  }

  async #attempt<T>(work: (transaction: WriteTransaction) => Promise<T>): Promise<T> {
    let begun: WriteTransaction | undefined;
    let isCommitted = false;
    try {
      const result = await this.db
        .transaction()
        .setIsolationLevel('serializable')
        .execute((transaction) => {
          begun = transaction;
          return work(transaction);
        });
      isCommitted = true;
      return result;
    } finally {
      const callbacks = begun && this.#endings.get(begun);
      for (const callback of callbacks ?? []) callback(isCommitted);
    }
  }

  /** SQLite runs one after the other: what failed once fails again. */
  #attempts(kind: StoreFailureKind): number {
    return this.kind === 'sqlite' ? 1 : (POSTGRES_ATTEMPTS.get(kind) ?? 1);
  }

  close(): Promise<void> {
    return this.db.destroy();
  }
}
