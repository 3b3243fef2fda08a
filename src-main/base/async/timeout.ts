import { onAbort } from './abort.ts';
import type { Clock } from '../clock.ts';

export interface TimeLimit<Late = never> {
  readonly clock: Clock;
  readonly ms: number;
  /** Called once when the time is over; what it returns or throws replaces the result. */
  readonly onTimeout: () => Late;
  /** Ends the waiting: it rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Begins `work` at once and waits for it no longer than the limit: returns its result, or that of `onTimeout`. Work
 * that took too long continues, and its result is dropped. Rejects with what `work` or `onTimeout` throws.
 */
export function withTimeout<T, Late = never>(
  work: () => Promise<T> | T,
  { clock, ms, onTimeout, signal }: TimeLimit<Late>,
): Promise<T | Late> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(ms, () => {
      unsubscribe?.();
      try {
        resolve(onTimeout());
      } catch (thrown) {
        reject(thrown);
      }
    });
    const end = (): void => {
      timer.cancel();
      unsubscribe?.();
    };
    const unsubscribe =
      signal &&
      onAbort(signal, () => {
        timer.cancel();
        reject(signal.reason as unknown);
      });
    // A promise of its own makes a synchronous throw reject.
    new Promise<T>((settle) => settle(work())).then(
      (value) => {
        end();
        resolve(value);
      },
      (thrown: unknown) => {
        end();
        reject(thrown);
      },
    );
  });
}
