import { backoffDelayMs, type BackoffOptions } from '../../base/backoff.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { toArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { HubEvent } from './event-kinds.ts';

const RETRY: BackoffOptions = { firstMs: 500, maxMs: 60_000, factor: 2, jitter: 0.2 };

export interface EventReaderOptions {
  /** For messages. */
  readonly name: string;
  /** Id after which it begins. */
  readonly position: number;
  /** Some of the events after an id, in their order; none where there is nothing more. */
  readonly read: (after: number) => Promise<readonly HubEvent[]>;
  /** Where it fails, the same events come again. */
  readonly handle: (events: readonly HubEvent[]) => void | Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Reads the log from a position, a batch after the other, whenever it is woken. */
export class EventReader {
  readonly #options: EventReaderOptions;
  #position: number;
  #isWanted = false;
  #isRunning = false;
  #isClosed = false;
  #running: Promise<void> = Promise.resolve();
  #failures = 0;
  #retry: Timer | undefined;

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
    if (this.#isRunning || this.#isClosed || this.#retry !== undefined) return;
    this.#isRunning = true;
    this.#running = this.#run();
  };

  /** Ends it after the batch under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#retry?.cancel();
    await this.#running;
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    const { read, handle } = this.#options;
    try {
      while (this.#isWanted && !this.#isClosed) {
        this.#isWanted = false;
        const events = await read(this.#position);
        const last = events.at(-1);
        if (last === undefined || this.#isClosed) continue;
        await handle(events);
        this.#position = last.id;
        this.#failures = 0;
        this.#isWanted = true;
      }
    } catch (thrown) {
      this.#tryAgain(thrown);
    } finally {
      // In the same step as the last look at `#isWanted`: whoever wakes it next starts it.
      this.#isRunning = false;
    }
  }

  #tryAgain(thrown: unknown): void {
    const { name, clock, logger } = this.#options;
    if (this.#isClosed) return;
    this.#failures++;
    const delayMs = backoffDelayMs(RETRY, this.#failures, Math.random());
    logger.warn(
      `Events after ${this.#position} are not handled yet (${name}), again in ${delayMs} ms: ${toArmatureError(thrown).message}`,
    );
    this.#retry = clock.after(delayMs, () => {
      this.#retry = undefined;
      this.wake();
    });
  }
}
