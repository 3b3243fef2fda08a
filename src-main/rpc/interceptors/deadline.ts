import type { Interceptor } from '../call.ts';

/** Time a call has when its caller names none (wire contract 1.1). */
export const DEFAULT_DEADLINE_MS = 10 * 60 * 1000;

/** A part of a hub is online for as long as it holds this stream open. */
const ENDLESS: ReadonlySet<string> = new Set(['/core.hub.v1.PartService/Connect']);

/** Gives every call an end: the caller's own, or else the default. */
export function deadlineInterceptor(defaultMs: number): Interceptor {
  return {
    name: 'deadline',
    start(call) {
      if (call.deadline === undefined && !ENDLESS.has(call.method.path)) call.limitDeadline(call.startedAt + defaultMs);
    },
  };
}
