import { backoffDelayMs, type BackoffOptions } from '../../base/async/backoff.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { toArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';

/** The state of the connection to the hub. */
export interface HubConnection {
  /** Whether the hub answers calls. */
  readonly isConnected: boolean;
  /** Calls back after each change. Returns an unsubscribe function. */
  onChange(listener: () => void): () => void;
}

export interface DeliveryOptions {
  readonly link: HubConnection;
  /**
   * Sends some of the waiting items to the hub. A failure is retried later.
   * @returns whether there may be more
   */
  readonly send: () => Promise<boolean>;
  /** The connection to the hub has changed: state of the previous one may be out of date. */
  readonly onLinkChange?: () => void;
  /** Start of the log message about a failure; its reason follows. */
  readonly trouble: string;
  /** Delays of retries. */
  readonly backoff?: BackoffOptions;
  readonly clock: Clock;
  readonly logger: Logger;
  /** In [0, 1). */
  readonly random?: () => number;
}

/** The machines of a fleet must not all retry at the same time when their hub is overloaded. */
const RETRY_BACKOFF: BackoffOptions = { firstMs: 1_000, maxMs: 15_000, factor: 2, jitter: 0.5 };

/**
 * Delivers to the hub while there is a connection: one call at a time, with growing retry delays, and at once when the
 * connection is back.
 */
export class Delivery {
  readonly #options: DeliveryOptions;
  readonly #unsubscribe: () => void;
  #wait: Timer | undefined;
  #isSending = false;
  #isWanted = false;
  #isClosed = false;
  #failures = 0;
  #trouble = '';

  constructor(options: DeliveryOptions) {
    this.#options = options;
    this.#unsubscribe = options.link.onChange(() => {
      options.onLinkChange?.();
      this.#failures = 0;
      this.#wait?.cancel();
      this.#wait = undefined;
      this.wake();
    });
  }

  /**
   * There may be something to send. A later retry is brought forward.
   * @param delayMs items within this time are sent together
   */
  wake(delayMs = 0): void {
    this.#isWanted = true;
    if (this.#isSending || this.#wait !== undefined || this.#isClosed || !this.#options.link.isConnected) return;
    if (delayMs === 0) {
      void this.#run();
      return;
    }
    this.#wait = this.#options.clock.after(delayMs, () => {
      this.#wait = undefined;
      this.wake();
    });
  }

  /** Starts nothing more. A running delivery continues to its end. */
  close(): void {
    this.#isClosed = true;
    this.#unsubscribe();
    this.#wait?.cancel();
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    const { link, send } = this.#options;
    this.#isSending = true;
    let retryMs = 0;
    try {
      while (this.#isWanted && !this.#isClosed && link.isConnected) {
        this.#isWanted = false;
        if (await send()) this.#isWanted = true;
        this.#failures = 0;
        this.#trouble = '';
      }
    } catch (thrown) {
      this.#isWanted = true;
      retryMs = this.#report(thrown);
    } finally {
      this.#isSending = false;
    }
    if (this.#isWanted) this.wake(retryMs);
  }

  /** @returns the time of the next attempt, milliseconds */
  #report(thrown: unknown): number {
    const { logger, trouble, backoff = RETRY_BACKOFF, random = Math.random } = this.#options;
    const { code, message } = toArmatureError(thrown);
    // The connection itself reports that the hub is unreachable.
    if (code !== 'hub.unreachable' && message !== this.#trouble) logger.warn(`${trouble}: ${message}`);
    this.#trouble = message;
    this.#failures++;
    return backoffDelayMs(backoff, this.#failures, random());
  }
}
