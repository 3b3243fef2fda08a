import pg from 'pg';
import { retry } from '../../base/async/retry.ts';
import { Emitter } from '../../base/async/emitter.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { toArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { clientOptions } from '../storage/postgres/postgres-dialect.ts';
import type { Notice, Notices } from './notices.ts';

const CHANNEL = 'armature_hubs';
/** Name of the connection in `pg_stat_activity`. */
const APPLICATION = 'armature notices';
/** Notices within this time are sent together: thousands of parts may reconnect at once. */
const BATCH_MS = 20;
/** PostgreSQL takes less than 8,000 bytes (docs: sql-notify). */
const MAX_PAYLOAD_BYTES = 7_500;
const RECONNECT = { firstMs: 200, maxMs: 10_000, factor: 2, jitter: 0.2 };

interface Message {
  /** Id of the sending hub. */
  readonly from: string;
  readonly notices: readonly Notice[];
}

export interface PostgresNoticesOptions {
  readonly address: string;
  /** Id of this hub, which ignores its own notices. */
  readonly hubId: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Notices over LISTEN and NOTIFY, on a separate connection. */
export class PostgresNotices implements Notices {
  readonly #options: PostgresNoticesOptions;
  readonly #received = new Emitter<Notice>();
  readonly #lost = new Emitter();
  readonly #closing = new AbortController();
  #client: pg.Client | undefined;
  /** By their JSON: equal notices are sent once. */
  #waiting = new Map<string, Notice>();
  #sendTimer: Timer | undefined;
  #sending: Promise<void> = Promise.resolve();

  private constructor(options: PostgresNoticesOptions) {
    this.#options = options;
  }

  /** @throws {ArmatureError} `store.unavailable` */
  static async open(options: PostgresNoticesOptions): Promise<PostgresNotices> {
    const notices = new PostgresNotices(options);
    await notices.#connect();
    return notices;
  }

  tell(notice: Notice): void {
    this.#waiting.set(JSON.stringify(notice), notice);
    this.#sendTimer ??= this.#options.clock.after(BATCH_MS, () => {
      this.#sendTimer = undefined;
      this.#sending = this.#sending.then(() => this.#send());
    });
  }

  on(listener: (notice: Notice) => void): () => void {
    return this.#received.on(listener);
  }

  onLost(listener: () => void): () => void {
    return this.#lost.on(listener);
  }

  async close(): Promise<void> {
    this.#sendTimer?.cancel();
    await this.#sending;
    this.#closing.abort();
    await this.#client?.end().catch(() => undefined);
  }

  /** Never rejects. */
  async #send(): Promise<void> {
    const notices = [...this.#waiting.values()];
    this.#waiting = new Map();
    const { hubId: from } = this.#options;
    try {
      for (const some of chunksWithin(notices, MAX_PAYLOAD_BYTES)) {
        const text = JSON.stringify({ from, notices: some } satisfies Message);
        await this.#client?.query('SELECT pg_notify($1, $2)', [CHANNEL, text]);
      }
    } catch (thrown) {
      // The other hubs also poll the store.
      this.#options.logger.debug(`Other hubs were not told of a change: ${toArmatureError(thrown).message}`);
    }
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({ ...clientOptions(this.#options.address), application_name: APPLICATION });
    let isOver = false;
    const onEnd = (): void => {
      if (isOver) return;
      isOver = true;
      if (this.#client !== client) return;
      this.#client = undefined;
      void this.#reconnect();
    };
    client.on('error', onEnd);
    client.on('end', onEnd);
    client.on('notification', ({ payload = '' }) => this.#receive(payload));
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
    } catch (thrown) {
      await client.end().catch(() => undefined);
      throw thrown;
    }
    this.#client = client;
  }

  async #reconnect(): Promise<void> {
    const { clock, logger } = this.#options;
    const { signal } = this.#closing;
    if (signal.aborted) return;
    logger.warn('Notices of other hubs are delayed: the connection to the database broke.');
    try {
      await retry(() => this.#connect(), { clock, backoff: RECONNECT, random: Math.random, signal });
      this.#lost.emit();
    } catch {
      // The hub ends.
    }
  }

  #receive(payload: string): void {
    const { from, notices } = JSON.parse(payload) as Message; // written by `#send`
    if (from === this.#options.hubId) return;
    for (const notice of notices) this.#received.emit(notice);
  }
}

/** Splits notices into groups whose JSON has at most `longest` characters, all of which are ASCII. */
function chunksWithin(notices: readonly Notice[], longest: number): Notice[][] {
  const chunks: Notice[][] = [];
  let left = 0;
  for (const notice of notices) {
    const { length } = JSON.stringify(notice);
    if (left < length) {
      chunks.push([]);
      left = longest;
    }
    chunks.at(-1)?.push(notice);
    left -= length + 1;
  }
  return chunks;
}
