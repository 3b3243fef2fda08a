import { setImmediate } from 'node:timers/promises';
import type { BackoffOptions } from '../../base/async/backoff.ts';
import { retry } from '../../base/async/retry.ts';
import type { Clock } from '../../base/clock.ts';
import { toArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { HubEvent } from './event-kinds.ts';

/** Maximum number of events in a batch. */
const MAX_BATCH = 500;
const RETRY: BackoffOptions = { firstMs: 500, maxMs: 60_000, factor: 2, jitter: 0.2 };

export interface EventReaderOptions {
  /** For messages. */
  readonly name: string;
  /** Id of the last event that is already handled. */
  readonly position: number;
  /** Reads the first events after an id, in order; fewer than `limit` if there are no more. */
  readonly read: (after: number, limit: number) => Promise<readonly HubEvent[]>;
  /** If it fails, it is called again with the same events. */
  readonly handle: (events: readonly HubEvent[]) => void | Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Reads the log from a position, batch by batch, whenever it is woken. */
export class EventReader {
  readonly #options: EventReaderOptions;
  readonly #closing = new AbortController();
  #position: number;
  #passed = 0;
  #isWanted = false;
  #isRunning = false;
  /** Committed events after the position, to be handled without reading them. */
  #known: readonly HubEvent[] = [];
  #running: Promise<void> = Promise.resolve();

  constructor(options: EventReaderOptions) {
    this.#options = options;
    this.#position = options.position;
  }

  /** Id of the last event that was handled. */
  get position(): number {
    return this.#position;
  }

  /**
   * Reads on: there may be new events.
   * @param committed events of a transaction, in order: if they are next, they need not be read
   */
  wake(committed: readonly HubEvent[] = []): void {
    this.#isWanted = true;
    if (this.#isRunning || this.#closing.signal.aborted) return;
    // Ids are in the order of commits, so nothing can come between.
    this.#known = committed[0]?.id === this.#position + 1 ? committed : [];
    this.#isRunning = true;
    this.#running = this.#run();
  }

  /** Skips all events up to this id, which are committed, even if they are just being read. */
  pass(id: number): void {
    this.#passed = Math.max(this.#passed, id);
    if (!this.#isRunning) this.#position = Math.max(this.#position, id);
  }

  /** Stops it after the current batch. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    const { name, clock, logger } = this.#options;
    const { signal } = this.#closing;
    const onFailure = (thrown: unknown): void =>
      logger.warn(
        `Events after ${this.#position} are not handled yet (${name}), again soon: ${toArmatureError(thrown).message}`,
      );
    try {
      while (this.#isWanted && !signal.aborted) {
        await retry(() => this.#next(), { clock, backoff: RETRY, random: Math.random, signal, onFailure });
      }
    } catch {
      // It was closed during a retry.
    } finally {
      // No await since the last check of `#isWanted`, so the next wake starts a new run.
      this.#isRunning = false;
    }
  }

  async #next(): Promise<void> {
    const { read, handle } = this.#options;
    this.#isWanted = false;
    const known = this.#known;
    this.#known = [];
    // Not at once: whoever made the change first does what follows its commit, as forgetting what was read before.
    const events = known.length > 0 ? await setImmediate(known) : await read(this.#position, MAX_BATCH);
    const last = events.at(-1);
    if (last === undefined || this.#closing.signal.aborted) return;
    const wanted = events.filter(({ id }) => id > this.#passed);
    if (wanted.length > 0) await handle(wanted);
    this.#position = Math.max(last.id, this.#passed);
    // A full batch means that there may be more. Events committed after the read wake the reader.
    this.#isWanted ||= events.length === MAX_BATCH;
  }
}
