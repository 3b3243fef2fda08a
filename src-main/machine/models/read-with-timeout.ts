import type { Clock } from '../../base/clock.ts';
import { ArmatureError } from '../../base/errors.ts';
import { withTimeout } from '../../base/async/timeout.ts';

/**
 * The result of `read`. Throws `resource.timeout` after `ms`, or the reason of the signal as soon as that aborts. A
 * late result is dropped.
 */
export function readWithTimeout<T>(
  read: () => Promise<T>,
  ms: number,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<T> {
  const onTimeout = (): never => {
    throw new ArmatureError('resource.timeout', `it did not answer within ${ms} ms`);
  };
  return withTimeout(read, { clock, ms, onTimeout, signal });
}
