import { setTimeout as wait } from 'node:timers/promises';
import { Mutex } from '../../base/async/mutex.ts';
import { StoreFailure, type StoreFailureKind } from './store-failure.ts';
import type { Database, WriteTransaction } from './tables.ts';

/** The kind and place of a store. */
export interface StoreFacts {
  readonly kind: 'sqlite' | 'postgres';
  /** The place for messages: a folder, or an address without its password. */
  readonly place: string;
}

/**
 * Attempts by kind of failure. PostgreSQL rejects one of two conflicting transactions; a retry succeeds. Some conflicts
 * appear as constraint errors for a row that the other one created or deleted: the retry then sees that row.
 */
const POSTGRES_ATTEMPTS: ReadonlyMap<StoreFailureKind, number> = new Map([
  ['conflict', 10],
  ['unique', 3],
  ['foreign-key', 3],
]);

/** From this attempt on, new transactions of this store wait: else they could win each time. */
const FIRST_ATTEMPT_ALONE = 4;

/** The store of a hub. The same queries run on SQLite and PostgreSQL; transactions are serializable. */
export class Store implements StoreFacts {
  readonly kind: 'sqlite' | 'postgres';
  readonly place: string;
  /** For reads; each query sees what was committed before it. */
  readonly db: Database;
  /**
   * A hint that differs after each change of the store by any program, and sometimes without one; undefined if only a
   * query can tell. A slow disk may make a change visible much later. Cheap enough to call a few times a second.
   */
  readonly trace: () => string | undefined;
  readonly #starts = new Mutex();
  readonly #retries = new Mutex();
  readonly #endCallbacks = new WeakMap<WriteTransaction, ((isCommitted: boolean) => void)[]>();

  constructor(facts: StoreFacts, db: Database, trace: () => string | undefined) {
    this.kind = facts.kind;
    this.place = facts.place;
    this.db = db;
    this.trace = trace;
  }

  /**
   * Runs `work` as one durable transaction. It may run more than once, so it must do nothing but query.
   * @throws {StoreFailure} of kind `conflict` if all attempts failed
   */
  async transaction<T>(work: (transaction: WriteTransaction) => Promise<T>): Promise<T> {
    // Waits only while a retry lets no new transaction in.
    (await this.#starts.lock())();
    const leave: (() => void)[] = [];
    try {
      for (let attempt = 1; ; attempt++) {
        try {
          return await this.#attempt(work);
        } catch (thrown) {
          if (!(thrown instanceof StoreFailure) || attempt >= this.#maxAttempts(thrown.kind)) throw thrown;
          await wait(Math.random() * 2 ** attempt);
          // Retries run one at a time, so that they do not conflict with each other again.
          if (attempt === 1) leave.push(await this.#retries.lock());
          if (attempt + 1 === FIRST_ATTEMPT_ALONE) leave.push(await this.#starts.lock());
        }
      }
    } finally {
      for (const each of leave) each();
    }
  }

  /**
   * Calls back when a running transaction has ended; if it is committed, its changes can be read. It may have been
   * committed even if `isCommitted` is false: the connection may have failed during the commit.
   */
  onEnd(transaction: WriteTransaction, callback: (isCommitted: boolean) => void): void {
    this.#endCallbacks.set(transaction, [...(this.#endCallbacks.get(transaction) ?? []), callback]);
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
      const callbacks = begun && this.#endCallbacks.get(begun);
      for (const callback of callbacks ?? []) callback(isCommitted);
    }
  }

  /** SQLite runs transactions one after the other, so a retry would fail again. */
  #maxAttempts(kind: StoreFailureKind): number {
    return this.kind === 'sqlite' ? 1 : (POSTGRES_ATTEMPTS.get(kind) ?? 1);
  }

  close(): Promise<void> {
    return this.db.destroy();
  }
}
