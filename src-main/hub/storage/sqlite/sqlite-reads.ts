import type { SqliteConnection, SqliteResult } from './sqlite-connection.ts';

/** A read that takes longer than this holds up writes that people wait for. */
const LONG_MS = 100;

/**
 * The reads of a database. They run in the thread of the writes until one waits or runs for long; from then on they have
 * a thread of their own, so that a search blocks no write. A hub at rest has one thread less for it: 9.5 MiB.
 */
export class SqliteReads {
  readonly #writer: SqliteConnection;
  readonly #open: () => Promise<SqliteConnection>;
  #own: SqliteConnection | undefined;
  #opening: Promise<void> | undefined;

  /** @param open opens the file in another thread */
  constructor(writer: SqliteConnection, open: () => Promise<SqliteConnection>) {
    this.#writer = writer;
    this.#open = open;
  }

  /** @throws {StoreFailure} if the statement fails */
  async read(sql: string, parameters: readonly unknown[]): Promise<SqliteResult> {
    const result = await (this.#own ?? this.#writer).read(sql, parameters);
    if (result.tookMs > LONG_MS) this.#opening ??= this.#separate();
    return result;
  }

  async close(): Promise<void> {
    await this.#opening;
    await this.#own?.close();
  }

  async #separate(): Promise<void> {
    try {
      this.#own = await this.#open();
    } catch {
      // The reads stay where they are, which is slower but right; the next long one tries again.
      this.#opening = undefined;
    }
  }
}
