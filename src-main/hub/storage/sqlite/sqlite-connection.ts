import { Worker } from 'node:worker_threads';
import type { SqliteReply, SqliteRequest, SqliteThreadOptions, SqliteValue } from './sqlite-protocol.ts';
import { sqliteFailure, StoreFailure } from '../store-failure.ts';

/** The result of a statement. */
export interface SqliteResult {
  readonly rows: readonly unknown[];
  readonly changes: number;
  /** How long it waited for the thread and ran, ms. */
  readonly tookMs: number;
}

interface Waiting {
  resolve(result: SqliteResult): void;
  reject(failure: StoreFailure): void;
}

/** A database file, open in a thread of its own. Statements run in the order of the calls. */
export class SqliteConnection {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #nextId = 1;
  readonly #onBroken: (reason: string) => void;
  /** Set when the connection can no longer be used. */
  #end: StoreFailure | undefined;
  #isClosing = false;

  private constructor(worker: Worker, onBroken: (reason: string) => void) {
    this.#worker = worker;
    this.#onBroken = onBroken;
    worker.on('message', (reply: SqliteReply) => this.#take(reply));
    worker.on('error', (error: Error) => this.#endWith(error.message));
    worker.once('exit', () => this.#endWith('its thread has ended'));
  }

  /**
   * @param onBroken called when the thread ends unexpectedly: nothing can be stored from then on
   * @throws {StoreFailure} for a file that cannot be opened or is no database
   */
  static async open(options: SqliteThreadOptions, onBroken: (reason: string) => void): Promise<SqliteConnection> {
    const worker = new Worker(new URL('./sqlite-thread.ts', import.meta.url), {
      workerData: options,
      name: options.isReadOnly ? 'hub-reads' : 'hub-store',
      // The thread only holds rows in transit.
      resourceLimits: { maxYoungGenerationSizeMb: 8 },
    });
    await new Promise<void>((resolve, reject) => {
      worker.once('message', (reply: SqliteReply) => {
        if (reply.kind === 'opened') resolve();
        else reject(reply.kind === 'failed' ? failureOf(reply) : new Error('the thread spoke out of turn'));
      });
      worker.once('error', reject);
    }).catch(async (thrown: unknown) => {
      await worker.terminate();
      throw thrown;
    });
    return new SqliteConnection(worker, onBroken);
  }

  /**
   * @param begins whether to begin a transaction first, unless one has begun; saves a separate message
   * @throws {StoreFailure} if the statement fails, or no transaction can begin
   */
  run(sql: string, parameters: readonly unknown[], begins = false): Promise<SqliteResult> {
    return this.#send(sql, parameters, begins, false);
  }

  /**
   * Reads what is committed, also while a transaction is open.
   * @throws {StoreFailure} if the statement fails
   */
  read(sql: string, parameters: readonly unknown[]): Promise<SqliteResult> {
    return this.#send(sql, parameters, false, true);
  }

  /** Closes the file; the last connection also removes the write-ahead log. */
  async close(): Promise<void> {
    if (this.#end !== undefined) return;
    this.#isClosing = true;
    const exited = new Promise((resolve) => this.#worker.once('exit', resolve));
    // The thread closes the database itself; `terminate` might not.
    this.#worker.postMessage(null);
    await exited;
  }

  #send(sql: string, parameters: readonly unknown[], begins: boolean, isRead: boolean): Promise<SqliteResult> {
    if (this.#end !== undefined) return Promise.reject(this.#end);
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      const request: SqliteRequest = {
        id,
        sql,
        parameters: parameters.map(valueOf),
        begins,
        isRead,
        sentAt: Date.now(),
      };
      this.#worker.postMessage(request);
    });
  }

  #take(reply: SqliteReply): void {
    if (reply.kind === 'opened' || reply.id === undefined) return;
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (reply.kind === 'done') waiting?.resolve(reply);
    else waiting?.reject(failureOf(reply));
  }

  #endWith(reason: string): void {
    if (this.#end === undefined && !this.#isClosing) this.#onBroken(`a thread of the database ended: ${reason}`);
    this.#end ??= new StoreFailure('unavailable', `The database is closed: ${reason}.`);
    for (const waiting of this.#waiting.values()) waiting.reject(this.#end);
    this.#waiting.clear();
  }
}

function failureOf(reply: SqliteReply & { readonly kind: 'failed' }): StoreFailure {
  return sqliteFailure(reply.message, reply.resultCode);
}

function valueOf(parameter: unknown): SqliteValue {
  if (typeof parameter === 'boolean') return parameter ? 1 : 0;
  return parameter as SqliteValue;
}
