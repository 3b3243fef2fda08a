import type { BackoffOptions } from '../../../base/async/backoff.ts';
import { retry } from '../../../base/async/retry.ts';
import type { Clock, Timer } from '../../../base/clock.ts';
import { toArmatureError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import { isDue, type AttemptResult, type Deliveries, type Delivery } from './deliveries.ts';
import { RETRY_DELAYS_MS, retryDelayMs } from './retry-schedule.ts';
import type { SendResult } from './send-result.ts';

/** Sent at once to one host, or by one mail server. */
export const PER_LANE = 2;
/** Sent at once in all. */
export const IN_ALL = 64;
/** Of these, to those whose last try failed: what is slow or broken leaves room for the rest, however much of it there is. */
export const TO_FAILING = 32;

const RETRY: BackoffOptions = { firstMs: 500, maxMs: 60_000, factor: 2, jitter: 0.2 };

/** Makes one try; never rejects but with the reason of the signal, or where the store cannot be read. */
export type Send = (delivery: Delivery, signal: AbortSignal) => Promise<SendResult>;

export interface DeliveryWorkerOptions {
  readonly deliveries: Deliveries;
  readonly send: Send;
  readonly clock: Clock;
  /** The time of retries, milliseconds: only grows, whatever is done to the clock. */
  readonly age: () => number;
  readonly logger: Logger;
  /** In [0, 1), for the part of each wait that is drawn. */
  readonly random?: () => number;
}

/** Sends what is in the queue when it is due. What it was sending when the program ended is sent again, as the same message. */
export class DeliveryWorker {
  readonly #options: DeliveryWorkerOptions;
  readonly #closing = new AbortController();
  readonly #running = new Map<string, { readonly lane: string; readonly ended: Promise<void> }>();
  /** What ended since the queue was last read: what was read of it before is no longer so. */
  readonly #endedSince = new Set<string>();
  /** Lanes whose last try failed. */
  readonly #failing = new Set<string>();
  #timer: Timer | undefined;
  #isWanted = false;
  #looking: Promise<void> | undefined;

  constructor(options: DeliveryWorkerOptions) {
    this.#options = options;
  }

  /** There may be something to send. */
  readonly wake = (): void => {
    this.#isWanted = true;
    if (this.#closing.signal.aborted) return;
    this.#looking ??= this.#look();
  };

  /** Settles when nothing is being sent, and everything that was due has been tried. */
  async idle(): Promise<void> {
    while (this.#looking !== undefined || this.#running.size > 0) {
      await Promise.all([this.#looking, ...[...this.#running.values()].map(({ ended }) => ended)]);
    }
  }

  /** Ends it. What is being sent is given up, and stays in the queue. */
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
        await retry(() => this.#start(), { clock, backoff: RETRY, random: Math.random, signal, onFailure });
      }
    } catch {
      // It was closed.
    } finally {
      this.#looking = undefined;
    }
  }

  /** Begins to send what is due and has room, and sets a timer for the rest. */
  async #start(): Promise<void> {
    const { deliveries, clock, age } = this.#options;
    this.#isWanted = false;
    this.#endedSince.clear();
    const lanes = await deliveries.lanes();
    const now = age();
    for (const { lane, nextAt, count } of lanes) {
      // Where all that waits is being sent already, there is nothing to look for.
      if (!isDue(nextAt, now) || count <= this.#runningIn(lane)) continue;
      const room = this.#room(lane);
      if (room <= 0) continue;
      const due = await deliveries.due(lane, now, PER_LANE + room);
      const fresh = due.filter(({ id }) => !this.#running.has(id) && !this.#endedSince.has(id));
      for (const delivery of fresh.slice(0, room)) this.#begin(delivery);
    }
    const next = lanes.find(({ nextAt }) => !isDue(nextAt, now));
    this.#timer?.cancel();
    this.#timer = next && clock.after(next.nextAt - now, this.wake);
  }

  #room(lane: string): number {
    const inAll = IN_ALL - this.#running.size;
    const ofFailing = [...this.#running.values()].filter((one) => this.#failing.has(one.lane)).length;
    const shared = this.#failing.has(lane) ? Math.min(inAll, TO_FAILING - ofFailing) : inAll;
    return Math.min(PER_LANE - this.#runningIn(lane), shared);
  }

  #runningIn(lane: string): number {
    return [...this.#running.values()].filter((one) => one.lane === lane).length;
  }

  #begin(delivery: Delivery): void {
    const ended = this.#try(delivery).finally(() => {
      this.#running.delete(delivery.id);
      this.#endedSince.add(delivery.id);
      this.wake();
    });
    this.#running.set(delivery.id, { lane: delivery.lane, ended });
  }

  /** Never rejects. */
  async #try(delivery: Delivery): Promise<void> {
    const { deliveries, send, clock, logger } = this.#options;
    const { signal } = this.#closing;
    const failed = (thrown: unknown): SendResult => {
      signal.throwIfAborted();
      return { kind: 'failed', reason: `The hub could not send it: ${toArmatureError(thrown).message}` };
    };
    try {
      const result = await send(delivery, signal).catch(failed);
      if (result.kind === 'failed') this.#failing.add(delivery.lane);
      else this.#failing.delete(delivery.lane);
      const stored = this.#resultOf(delivery, result);
      // Until this is stored it would be sent again and again.
      const onFailure = (thrown: unknown): void =>
        logger.warn(`What became of ${delivery.id} is not stored yet: ${toArmatureError(thrown).message}`);
      await retry(() => deliveries.finish(delivery, stored), { clock, backoff: RETRY, signal, onFailure });
    } catch {
      // The hub is closing: it is in the queue still, and sent again after the next start.
    }
  }

  #resultOf(delivery: Delivery, result: SendResult): AttemptResult {
    const { clock, age, logger, random = Math.random } = this.#options;
    const now = clock.now();
    const { response } = result;
    if (result.kind === 'delivered') return { state: 'delivered', nextAt: null, failure: '', response, now };
    const failures = delivery.attempts + 1;
    // A test says at once what became of it.
    const hasNext = result.isFinal !== true && delivery.is_test === 0;
    const delay = hasNext ? retryDelayMs(failures, random(), result.retryAfterMs) : undefined;
    const failure = result.reason;
    if (delay !== undefined) return { state: 'queued', nextAt: age() + delay, failure, response, now };
    logger.warn(
      `The notification ${delivery.id} of trigger "${delivery.trigger_name}" is given up after ${failures} of ${RETRY_DELAYS_MS.length + 1} tries: ${failure}`,
    );
    return { state: 'dead', nextAt: null, failure, response, now };
  }
}
