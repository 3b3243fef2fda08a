import type { BackoffOptions } from '../../base/async/backoff.ts';
import { retry } from '../../base/async/retry.ts';
import type { Clock } from '../../base/clock.ts';
import { toArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { HubEvent } from './event-kinds.ts';

/** Events that are read at once. */
const BATCH = 500;
const RETRY: BackoffOptions = { firstMs: 500, maxMs: 60_000, factor: 2, jitter: 0.2 };

export interface EventReaderOptions {
  /** For messages. */
  readonly name: string;
  /** Id after which it begins. */
  readonly position: number;
  /** The first events after an id, in their order; less than `limit` where there are no more. */
  readonly read: (after: number, limit: number) => Promise<readonly HubEvent[]>;
  /** Where it fails, the same events come again. */
  readonly handle: (events: readonly HubEvent[]) => void | Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Reads the log from a position, a batch after the other, whenever it is woken. */
export class EventReader {
  readonly #options: EventReaderOptions;
  readonly #closing = new AbortController();
  #position: number;
  #passed = 0;
  #isWanted = false;
  #isRunning = false;
  #running: Promise<void> = Promise.resolve();

  constructor(options: EventReaderOptions) {
    this.#options = options;
    this.#position = options.position;
  }

  /** Id of the last event that was handled. */
  get position(): number {
    return this.#position;
  }

  /** There may be something to read. */
  readonly wake = (): void => {
    this.#isWanted = true;
    if (this.#isRunning || this.#closing.signal.aborted) return;
    this.#isRunning = true;
    this.#running = this.#run();
  };

  /** All up to this id is committed, and is not to be handled any more, also where it is just being read. */
  pass(id: number): void {
    this.#passed = Math.max(this.#passed, id);
    if (!this.#isRunning) this.#position = Math.max(this.#position, id);
  }

  /** Ends it after the batch under way. */
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
      // It was closed while it failed.
    } finally {
      // In the same step as the last look at `#isWanted`: whoever wakes it next starts it.
      this.#isRunning = false;
    }
  }

  async #next(): Promise<void> {
    const { read, handle } = this.#options;
    this.#isWanted = false;
    const events = await read(this.#position, BATCH);
    const last = events.at(-1);
    if (last === undefined || this.#closing.signal.aborted) return;
    const wanted = events.filter(({ id }) => id > this.#passed);
    if (wanted.length > 0) await handle(wanted);
    this.#position = Math.max(last.id, this.#passed);
    // Whatever is committed after it was read wakes this.
    this.#isWanted ||= events.length === BATCH;
  }
}
