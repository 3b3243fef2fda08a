import type { BackoffOptions } from '../../../base/async/backoff.ts';
import { retry } from '../../../base/async/retry.ts';
import type { Clock, Timer } from '../../../base/clock.ts';
import { toArmatureError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import { isDue, type AttemptResult, type Deliveries, type Delivery } from './deliveries.ts';
import { RETRY_DELAYS_MS, retryDelayMs } from './retry-schedule.ts';
import type { SendResult } from './send-result.ts';

/** Simultaneous attempts to one host, or by the mail server. */
export const MAX_PER_LANE = 2;
/** Simultaneous attempts to receivers that answer. */
export const MAX_SENDING = 64;
/**
 * Additional simultaneous attempts to receivers that do not answer: their last attempt failed, or the current one has
 * taken {@link SLOW_MS}.
 */
export const MAX_TO_FAILING = 32;
/** After this time an attempt without an answer takes no room from receivers that answer. */
export const SLOW_MS = 1_000;
/** Deliveries of a lane that are read ahead. The rest waits in the store. */
export const READ_AHEAD = 32;

const RETRY: BackoffOptions = { firstMs: 500, maxMs: 60_000, factor: 2, jitter: 0.2 };

/** Makes one attempt. Rejects only with the reason of the signal, or if the store cannot be read. */
export type Send = (delivery: Delivery, signal: AbortSignal) => Promise<SendResult>;

export interface DeliveryWorkerOptions {
  readonly deliveries: Deliveries;
  readonly send: Send;
  readonly clock: Clock;
  /** The monotonic time of retries, in milliseconds: never goes back, even if the clock is set back. */
  readonly age: () => number;
  readonly logger: Logger;
  /** Random numbers in [0, 1), for the jitter of each wait. */
  readonly random?: () => number;
}

/** An attempt in progress. */
interface Running {
  readonly lane: string;
  readonly ended: Promise<void>;
  isSlow: boolean;
}

/**
 * Sends queued notifications when they are due. A notification that was being sent when the program ended is sent
 * again, as the same message.
 */
export class DeliveryWorker {
  readonly #options: DeliveryWorkerOptions;
  readonly #closing = new AbortController();
  /** Attempts in progress, by delivery id. */
  readonly #running = new Map<string, Running>();
  /** Ids of due deliveries, by lane. The lane that was served last is last. */
  readonly #ready = new Map<string, string[]>();
  /** Lanes whose last attempt failed. */
  readonly #failing = new Set<string>();
  #timer: Timer | undefined;
  #isWanted = false;
  #looking: Promise<void> | undefined;

  constructor(options: DeliveryWorkerOptions) {
    this.#options = options;
  }

  /** Call this when there may be something to send. */
  readonly wake = (): void => {
    this.#isWanted = true;
    if (this.#closing.signal.aborted) return;
    this.#looking ??= this.#look();
  };

  /** Settles when nothing is being sent, and an attempt has been made for everything that was due. */
  async idle(): Promise<void> {
    while (this.#looking !== undefined || this.#running.size > 0) {
      await Promise.all([this.#looking, ...[...this.#running.values()].map(({ ended }) => ended)]);
    }
  }

  /** Stops the worker. Attempts in progress are aborted; their deliveries stay in the queue. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('the hub is closing'));
    this.#timer?.cancel();
    await this.idle();
  }

  /** Never rejects. */
  async #look(): Promise<void> {
    const { clock, logger } = this.#options;
    const { signal } = this.#closing;
    const onFailure = (thrown: unknown): void =>
      logger.warn(`The queue of notifications cannot be read, again soon: ${toArmatureError(thrown).message}`);
    try {
      while (this.#isWanted && !signal.aborted) {
        await retry(() => this.#read(), { clock, backoff: RETRY, random: Math.random, signal, onFailure });
      }
    } catch {
      // It was closed.
    } finally {
      this.#looking = undefined;
    }
  }

  /** Reads due deliveries, starts as many attempts as there is room for, and sets a timer for later ones. */
  async #read(): Promise<void> {
    const { deliveries, clock, age } = this.#options;
    this.#isWanted = false;
    const lanes = await deliveries.lanes();
    const now = age();
    for (const { lane, nextAt, count } of lanes) {
      // If everything that waits in the lane is already being sent, there is nothing to read.
      if (!isDue(nextAt, now) || this.#ready.has(lane) || count <= this.#runningIn(lane)) continue;
      const due = await deliveries.due(lane, now, MAX_PER_LANE + READ_AHEAD);
      const fresh = due.filter((id) => !this.#running.has(id));
      if (fresh.length > 0) this.#ready.set(lane, fresh);
      this.#fill();
    }
    const next = lanes.find(({ nextAt }) => !isDue(nextAt, now));
    this.#timer?.cancel();
    this.#timer = next && clock.after(next.nextAt - now, this.wake);
  }

  /** Starts attempts while there is room, one of each lane in turn. */
  #fill(): void {
    for (let hasBegun = true; hasBegun && !this.#closing.signal.aborted;) {
      hasBegun = false;
      for (const [lane, ids] of [...this.#ready]) {
        const [id] = ids;
        if (id === undefined || !this.#hasRoom(lane)) continue;
        this.#ready.delete(lane);
        if (ids.length > 1) this.#ready.set(lane, ids.slice(1));
        this.#begin(lane, id);
        hasBegun = true;
      }
    }
  }

  #hasRoom(lane: string): boolean {
    if (this.#runningIn(lane) >= MAX_PER_LANE) return false;
    const notAnswering = [...this.#running.values()].filter((one) => one.isSlow || this.#failing.has(one.lane)).length;
    if (this.#failing.has(lane)) return notAnswering < MAX_TO_FAILING;
    return this.#running.size - Math.min(notAnswering, MAX_TO_FAILING) < MAX_SENDING;
  }

  #runningIn(lane: string): number {
    return [...this.#running.values()].filter((one) => one.lane === lane).length;
  }

  #begin(lane: string, id: string): void {
    const slow = this.#options.clock.after(SLOW_MS, () => {
      running.isSlow = true;
      this.#fill();
    });
    const ended = this.#try(id).finally(() => {
      slow.cancel();
      this.#running.delete(id);
      // A failed delivery gets a new due time, for which the timer has to be set.
      if (!this.#ready.has(lane) || this.#failing.has(lane)) this.wake();
      this.#fill();
    });
    const running = { lane, ended, isSlow: false };
    this.#running.set(id, running);
  }

  /** Never rejects. */
  async #try(id: string): Promise<void> {
    const { deliveries, send, clock, age, logger } = this.#options;
    const { signal } = this.#closing;
    const failed = (thrown: unknown): SendResult => {
      signal.throwIfAborted();
      return { kind: 'failed', reason: `The hub could not send it: ${toArmatureError(thrown).message}` };
    };
    const withRetry = <T>(what: string, attempt: () => Promise<T>): Promise<T> => {
      const onFailure = (thrown: unknown): void => logger.warn(`${what}: ${toArmatureError(thrown).message}`);
      return retry(attempt, { clock, backoff: RETRY, random: Math.random, signal, onFailure });
    };
    try {
      const delivery = await withRetry(`The notification ${id} cannot be read, again soon`, () =>
        deliveries.toTry(id, age()),
      );
      if (delivery === undefined) return;
      const result = await send(delivery, signal).catch(failed);
      if (result.kind === 'failed') this.#failing.add(delivery.lane);
      else this.#failing.delete(delivery.lane);
      const stored = this.#resultOf(delivery, result);
      // Until the result is stored, the delivery would be sent again and again.
      await withRetry(`The result of notification ${id} is not stored yet`, () => deliveries.finish(delivery, stored));
    } catch {
      // The hub is closing: the delivery is still in the queue, and is sent again after the next start.
    }
  }

  #resultOf(delivery: Delivery, result: SendResult): AttemptResult {
    const { clock, age, logger, random = Math.random } = this.#options;
    const now = clock.now();
    const { response } = result;
    if (result.kind === 'delivered') return { state: 'delivered', nextAt: null, failure: '', response, now };
    const failures = delivery.attempts + 1;
    // A test has only one attempt, so that its result is known at once.
    const hasNext = result.isFinal !== true && delivery.is_test === 0;
    const delay = hasNext ? retryDelayMs(failures, random(), result.retryAfterMs) : undefined;
    const failure = result.reason;
    if (delay !== undefined) return { state: 'queued', nextAt: age() + delay, failure, response, now };
    logger.warn(
      `The notification ${delivery.id} of trigger "${delivery.trigger_name}" is given up after ${failures} of ${RETRY_DELAYS_MS.length + 1} attempts: ${failure}`,
    );
    return { state: 'dead', nextAt: null, failure, response, now };
  }
}
