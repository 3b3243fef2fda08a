import type { Interceptor } from '../call.ts';

/** Time a call with one answer has when its caller names none: that of the field's public server. */
export const DEFAULT_DEADLINE_MS = 10 * 60 * 1000;

/**
 * Gives a call without a deadline the default one. Streams have none, unless their traits say so: those of other
 * processes, and calls whose kind only their server knows, end with their caller, connection or handler.
 */
export function deadlineInterceptor(defaultMs: number): Interceptor {
  return {
    name: 'deadline',
    start(call) {
      if (call.deadline !== undefined) return;
      const { requestStream, responseStream, traits } = call.method;
      if ((requestStream || responseStream) && traits.duration !== 'bounded') return;
      call.limitDeadline(call.startedAt + defaultMs);
    },
  };
}
