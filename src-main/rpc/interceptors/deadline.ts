import type { Interceptor } from '../call.ts';

/** Time a call has when its caller names none (wire contract 1.1). */
export const DEFAULT_DEADLINE_MS = 10 * 60 * 1000;

/** Calls that take as long as they take: a part is online while it holds a stream open, a package is as large as it is. */
const ENDLESS: ReadonlySet<string> = new Set([
  '/core.hub.v1.PartService/Connect',
  '/core.hub.v1.RegistryService/WatchResolutions',
  '/core.hub.v1.RegistryService/Download',
  '/core.app.v1.AppService/UploadModuleFile',
]);

/** Gives every call an end: the caller's own, or else the default. */
export function deadlineInterceptor(defaultMs: number): Interceptor {
  return {
    name: 'deadline',
    start(call) {
      if (call.deadline === undefined && !ENDLESS.has(call.method.path)) call.limitDeadline(call.startedAt + defaultMs);
    },
  };
}
