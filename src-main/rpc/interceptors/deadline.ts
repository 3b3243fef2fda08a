import type { Interceptor } from '../call.ts';

/** Time a call has when its caller names none (wire contract 1.1). */
export const DEFAULT_DEADLINE_MS = 10 * 60 * 1000;

/** Gives every call an end: the caller's own, or else the default. */
export function deadlineInterceptor(defaultMs: number): Interceptor {
  return {
    name: 'deadline',
    start(call) {
      if (call.deadline === undefined) call.limitDeadline(call.startedAt + defaultMs);
    },
  };
}
