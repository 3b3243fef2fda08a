import type { Clock } from '../../base/clock.ts';
import { ArmatureError } from '../../base/errors.ts';
import { withTimeout } from '../../base/async/timeout.ts';

/**
 * What `read` gives, or `resource.timeout` after `ms`, or the reason of the
 * signal as soon as that aborts. What is read too late is dropped.
 */
export function readInTime<T>(
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
