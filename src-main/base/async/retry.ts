import { backoffDelayMs, type BackoffOptions } from './backoff.ts';
import { sleep, type Clock } from '../clock.ts';

export interface RetryOptions {
  readonly clock: Clock;
  readonly backoff: BackoffOptions;
  /** In [0, 1), for the part of each delay that is drawn; without it, delays are whole. */
  readonly random?: () => number;
  /** Ends the trying: nothing is begun after it aborts, and a wait ends at once. */
  readonly signal: AbortSignal;
  /** Told of each failure, before the wait; what it throws ends the trying. */
  readonly onFailure?: (thrown: unknown) => void;
}

/**
 * Does `work` until it succeeds, with growing pauses in between. Work under way is waited for when the signal aborts.
 * @throws what `onFailure` throws; the reason of the signal when that aborts first
 */
export async function retry<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { clock, backoff, random, signal, onFailure } = options;
  for (let failures = 1; ; failures++) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (thrown) {
      signal.throwIfAborted();
      onFailure?.(thrown);
    }
    await sleep(clock, backoffDelayMs(backoff, failures, random?.() ?? 0), signal);
  }
}
