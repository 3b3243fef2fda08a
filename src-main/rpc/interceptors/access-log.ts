import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { StatusCode } from '../../base/status.ts';
import type { Interceptor } from '../call.ts';

const codeNames = new Map<number, string>(Object.entries(StatusCode).map(([name, code]) => [code, name]));

/**
 * Writes one debug line for every call that ended.
 * @param isDebugOn checked once a call, so that a call costs nothing while the lines are not logged
 */
export function accessLogInterceptor(logger: Logger, clock: Clock, isDebugOn: () => boolean): Interceptor {
  return {
    name: 'access-log',
    end(call, status) {
      if (!isDebugOn()) return;
      logger.debug(`${call.method.path} ${codeNames.get(status.code) ?? status.code}`, {
        resource: call.resourceName,
        durationMs: Math.round((clock.monotonic() - call.startedAt) * 1000) / 1000,
        transport: call.connection.transport,
        remoteAddress: call.connection.remoteAddress,
        entity: call.principal.entity,
        ...(status.message === '' ? {} : { message: status.message }),
      });
    },
  };
}
