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
/** Sent at once to those that answer. */
export const IN_ALL = 64;
/** Sent at once beside these, to those that do not: their last try failed, or they have been asked for {@link SLOW_MS}. */
export const TO_FAILING = 32;
/** Who has not answered after so long takes no room from others. */
export const SLOW_MS = 1_000;
/** What is read of a lane at once: the rest waits in the store. */
export const READ_AHEAD = 32;

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

/** A try under way. */
interface Running {
  readonly lane: string;
  readonly ended: Promise<void>;
  isSlow: boolean;
}

/** Sends what is in the queue when it is due. What it was sending when the program ended is sent again, as the same message. */
export class DeliveryWorker {
  readonly #options: DeliveryWorkerOptions;
  readonly #closing = new AbortController();
  /** By their ids. */
  readonly #running = new Map<string, Running>();
  /** Ids of what is due, by lanes; those that had their turn come last. */
  readonly #ready = new Map<string, string[]>();
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
        await retry(() => this.#read(), { clock, backoff: RETRY, random: Math.random, signal, onFailure });
      }
    } catch {
      // It was closed.
    } finally {
      this.#looking = undefined;
    }
  }

  /** Reads what is due, begins to send what has room, and sets a timer for what is due later. */
  async #read(): Promise<void> {
    const { deliveries, clock, age } = this.#options;
    this.#isWanted = false;
    const lanes = await deliveries.lanes();
    const now = age();
    for (const { lane, nextAt, count } of lanes) {
      // Where all that waits is being sent already, there is nothing to look for.
      if (!isDue(nextAt, now) || this.#ready.has(lane) || count <= this.#runningIn(lane)) continue;
      const due = await deliveries.due(lane, now, PER_LANE + READ_AHEAD);
      const fresh = due.filter((id) => !this.#running.has(id));
      if (fresh.length > 0) this.#ready.set(lane, fresh);
      this.#fill();
    }
    const next = lanes.find(({ nextAt }) => !isDue(nextAt, now));
    this.#timer?.cancel();
    this.#timer = next && clock.after(next.nextAt - now, this.wake);
  }

  /** Begins to send what has room, one of each lane in turn. */
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
    if (this.#runningIn(lane) >= PER_LANE) return false;
    const notAnswering = [...this.#running.values()].filter((one) => one.isSlow || this.#failing.has(one.lane)).length;
    if (this.#failing.has(lane)) return notAnswering < TO_FAILING;
    return this.#running.size - Math.min(notAnswering, TO_FAILING) < IN_ALL;
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
      // What failed is due again at some time.
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
    const patiently = <T>(what: string, attempt: () => Promise<T>): Promise<T> => {
      const onFailure = (thrown: unknown): void => logger.warn(`${what}: ${toArmatureError(thrown).message}`);
      return retry(attempt, { clock, backoff: RETRY, random: Math.random, signal, onFailure });
    };
    try {
      const delivery = await patiently(`The notification ${id} cannot be read, again soon`, () =>
        deliveries.toTry(id, age()),
      );
      if (delivery === undefined) return;
      const result = await send(delivery, signal).catch(failed);
      if (result.kind === 'failed') this.#failing.add(delivery.lane);
      else this.#failing.delete(delivery.lane);
      const stored = this.#resultOf(delivery, result);
      // Until this is stored it would be sent again and again.
      await patiently(`What became of ${id} is not stored yet`, () => deliveries.finish(delivery, stored));
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
