import { tripletIn } from '../../base/dialect.ts';
import { firstValue } from '../../rpc/metadata.ts';
import type { Interceptor } from '../../rpc/call.ts';
import type { SessionRegistry } from './session-registry.ts';

/** Request header with the id of the caller's session. */
const SESSION_HEADER = 'viam-sid';
/** Response header with the full name of the commanded resource, for servers that forward calls to us. */
const RESOURCE_HEADER = 'viam-smrn';

/**
 * Assigns calls to sessions. It must run after the access interceptor, which identifies the caller. A call with
 * `viam-sid` is a heartbeat; an id that is not a live session of its caller is refused with `session.expired` before
 * any handler runs.
 */
export function sessionInterceptor(registry: SessionRegistry): Interceptor {
  return {
    name: 'session',
    start(call) {
      const id = firstValue(call.metadata, SESSION_HEADER);
      if (id === undefined || id === '') return;
      registry.heartbeat(id, call.principal, call.connection);
      call.sessionId = id;
    },
    request(call) {
      const resource = registry.command(call);
      if (resource !== undefined && call.sessionId !== undefined) {
        call.setHeader(RESOURCE_HEADER, tripletIn(resource, call.dialect));
      }
    },
    end(call, status) {
      registry.finished(call, status.code);
    },
  };
}
