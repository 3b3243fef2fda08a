import { onAbort } from './abort.ts';
import type { Clock } from '../clock.ts';

export interface TimeLimit<Late = never> {
  readonly clock: Clock;
  readonly ms: number;
  /** Called once when the time is over; its result or error replaces that of the work. */
  readonly onTimeout: () => Late;
  /** Ends the wait: it rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Starts `work` at once and waits for it at most as long as the limit: returns its result, or that of `onTimeout`. Work
 * that takes too long continues, and its result is dropped. Rejects with errors of `work` or `onTimeout`.
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
    const fail = (thrown: unknown): void => {
      end();
      reject(thrown);
    };
    try {
      Promise.resolve(work()).then((value) => {
        end();
        resolve(value);
      }, fail);
    } catch (thrown) {
      fail(thrown);
    }
  });
}
