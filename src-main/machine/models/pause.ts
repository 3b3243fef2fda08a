import type { Clock } from '../../base/clock.ts';

/** Settles after `ms`, or at once when the signal aborts; the caller looks at the signal. Never rejects. */
export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      timer.cancel();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = clock.after(ms, end);
    signal.addEventListener('abort', end, { once: true });
  });
}
