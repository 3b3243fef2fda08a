import { ArmatureError } from '../../base/errors.ts';
import type { Clock } from '../../base/clock.ts';
import { withTimeout } from '../../base/async/timeout.ts';

/** How long one output may take to stop before the failure is reported, milliseconds. */
export const STOP_DEADLINE_MS = 2_000;

/**
 * Runs one stop and settles by the deadline, whatever the hardware does. The signal aborts at the deadline, so that a
 * call to another process is abandoned. Rejects with `resource.timeout`, or the error of `stop`.
 * @param what names the output in the error, for example `core:component:motor/left`
 */
export function stopWithin(
  clock: Clock,
  deadlineMs: number,
  what: string,
  stop: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const abort = new AbortController();
  const onTimeout = (): never => {
    const error = new ArmatureError(
      'resource.timeout',
      `${what} did not stop within ${deadlineMs} ms. It may still be moving: cut its power and check its wiring.`,
      { details: { output: what, deadlineMs } },
    );
    abort.abort(error);
    throw error;
  };
  return withTimeout(() => stop(abort.signal), { clock, ms: deadlineMs, onTimeout });
}
