import { onAbort } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { ArmatureError } from '../../base/errors.ts';

/**
 * What `read` gives, or `resource.timeout` after `ms`, or `call.cancelled` as
 * soon as the signal aborts. What is read too late is dropped.
 */
export function readInTime<T>(
  read: () => Promise<T>,
  ms: number,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(ms, () => {
      reject(new ArmatureError('resource.timeout', `it did not answer within ${ms} ms`));
    });
    const giveUp = (): void => reject(new ArmatureError('call.cancelled', 'nobody waits for the answer any more'));
    const forget = signal === undefined ? undefined : onAbort(signal, giveUp);
    void new Promise<T>((settle) => settle(read())).then(resolve, reject).finally(() => {
      timer.cancel();
      forget?.();
    });
  });
}
