import { withTimeout } from '../../base/async/timeout.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { toArmatureError, type ArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';

/** Readings that are later than this are skipped. */
const MAX_BEHIND_MS = 100;
const MAX_BEHIND_READINGS = 10;
/** Pause after a failure, since it may fail at once. */
const PAUSE_MS = 250;
/** A resource that does not answer must not delay the end of capturing for longer. */
const LAST_READING_MS = 1_000;
/** Least time between two log lines about the same failure. */
const LOG_MS = 60_000;

export interface CollectorOptions {
  /** For messages: `Readings of core:component:sensor/s1`. */
  readonly label: string;
  readonly frequencyHz: number;
  /** Takes a reading and stores it. Resolves false if there is nothing to store. */
  readonly capture: () => Promise<boolean>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The state of one captured method. */
export interface CollectorState {
  readonly captured: number;
  /** Readings skipped because the resource or this computer was too slow for the frequency. */
  readonly missed: number;
  readonly failures: number;
  /** Why the last one failed; '' if it did not. */
  readonly error: string;
}

/**
 * Captures one method of one resource at a frequency, one reading at a time. Each is due a whole number of intervals
 * after the first. A late reading is taken at once, so late timers lose none.
 */
export class Collector {
  readonly #options: CollectorOptions;
  readonly #intervalMs: number;
  #dueAt: number;
  #timer: Timer | undefined;
  #running: Promise<void> = Promise.resolve();
  #isClosed = false;
  #captured = 0;
  #missed = 0;
  #failures = 0;
  #error = '';
  #loggedAt = Number.NEGATIVE_INFINITY;
  #logged = '';

  constructor(options: CollectorOptions) {
    this.#options = options;
    this.#intervalMs = 1_000 / options.frequencyHz;
    this.#dueAt = options.clock.monotonic();
    this.#schedule();
  }

  get state(): CollectorState {
    return { captured: this.#captured, missed: this.#missed, failures: this.#failures, error: this.#error };
  }

  /** Stops it. Settles when the current reading is stored, or takes too long. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    const { clock } = this.#options;
    await withTimeout(() => this.#running, { clock, ms: LAST_READING_MS, onTimeout: () => undefined });
  }

  #schedule(): void {
    const { clock } = this.#options;
    this.#timer = clock.after(Math.max(0, this.#dueAt - clock.monotonic()), () => {
      this.#running = this.#catchUp();
    });
  }

  /** Takes every reading that is due. Never rejects. */
  async #catchUp(): Promise<void> {
    const { clock } = this.#options;
    do {
      await this.#read();
      this.#dueAt += this.#intervalMs;
      this.#skip();
    } while (!this.#isClosed && this.#dueAt <= clock.monotonic());
    if (!this.#isClosed) this.#schedule();
  }

  async #read(): Promise<void> {
    const { capture, clock } = this.#options;
    try {
      if (await capture()) this.#captured++;
      this.#error = '';
    } catch (thrown) {
      this.#failures++;
      this.#failed(toArmatureError(thrown));
      this.#dueAt = Math.max(this.#dueAt, clock.monotonic() + PAUSE_MS - this.#intervalMs);
    }
  }

  #skip(): void {
    const behindMs = this.#options.clock.monotonic() - this.#dueAt;
    if (behindMs <= Math.max(MAX_BEHIND_MS, MAX_BEHIND_READINGS * this.#intervalMs)) return;
    const count = Math.floor(behindMs / this.#intervalMs);
    this.#missed += count;
    this.#dueAt += count * this.#intervalMs;
  }

  #failed({ code, message }: ArmatureError): void {
    const { clock, logger, label } = this.#options;
    this.#error = message;
    // The state of the resource says why it is not ready.
    if (code === 'resource.not_ready') return;
    const now = clock.monotonic();
    if (message === this.#logged && now - this.#loggedAt < LOG_MS) return;
    this.#logged = message;
    this.#loggedAt = now;
    logger.warn(`${label} cannot be captured: ${message}`);
  }
}
