import { backoffDelayMs, type BackoffOptions } from './backoff.ts';
import { sleep, type Clock } from '../clock.ts';

export interface RetryOptions {
  readonly clock: Clock;
  readonly backoff: BackoffOptions;
  /** In [0, 1), for the random part of each delay; without it, delays have none. */
  readonly random?: () => number;
  /** Ends the attempts: none starts after it aborts, and a wait ends at once. */
  readonly signal: AbortSignal;
  /** Called with each failure, before the wait; if it throws, there is no further attempt. */
  readonly onFailure?: (thrown: unknown) => void;
}

/**
 * Does `work` until it succeeds, with growing pauses in between. Running work is awaited when the signal aborts.
 * @throws the error of `onFailure`; the reason of the signal if that aborts first
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
