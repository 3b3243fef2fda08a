import { ArmatureError } from '../../base/errors.ts';
import type { Interceptor, ServerCall } from '../call.ts';

/** Calls under way for one resource of one service. */
export const DEFAULT_IN_FLIGHT_LIMIT = 100;

/** How long a refused caller is asked to wait before it tries again. */
const RETRY_AFTER_MS = 100;

/** Of any API, also one that only a module has. */
const STOP = 'Stop';

/**
 * Bounds the calls under way, streams included, per resource and service; a
 * service without resources counts as one. One connection gets at most four
 * fifths of a resource, so that a client that floods it leaves room for others.
 * @param limit calls under way for one resource; at least 1
 */
export function inFlightLimitInterceptor(limit: number): Interceptor {
  const perConnection = Math.max(1, limit - Math.floor(limit / 5));
  const services = new Map<string, Map<string, Set<ServerCall>>>();

  const callsOf = (service: string, resourceName: string): Set<ServerCall> => {
    let resources = services.get(service);
    if (resources === undefined) services.set(service, (resources = new Map<string, Set<ServerCall>>()));
    let calls = resources.get(resourceName);
    if (calls === undefined) resources.set(resourceName, (calls = new Set<ServerCall>()));
    return calls;
  };

  return {
    name: 'in-flight-limit',
    request(call) {
      const { name, service, traits } = call.method;
      if (name === STOP || traits.unlimited === true) return;
      const calls = callsOf(service, call.resourceName);
      if (calls.size >= limit) throw refusal(call, limit, 'all callers together');
      // Only a crowded resource is worth counting by connection.
      if (calls.size >= perConnection && countOf(call, calls) >= perConnection) {
        throw refusal(call, perConnection, 'this connection');
      }
      calls.add(call);
    },
    end(call) {
      const resources = services.get(call.method.service);
      const calls = resources?.get(call.resourceName);
      if (calls === undefined || !calls.delete(call)) return;
      // Names come from callers: empty entries are removed, or invented names would fill memory.
      if (calls.size === 0) resources?.delete(call.resourceName);
    },
  };
}

function countOf(call: ServerCall, calls: ReadonlySet<ServerCall>): number {
  let count = 0;
  for (const other of calls) if (other.connection === call.connection) count++;
  return count;
}

function refusal(call: ServerCall, limit: number, whose: string): ArmatureError {
  const target =
    call.resourceName === '' ? call.method.service : `resource "${call.resourceName}" of ${call.method.service}`;
  call.trailers['grpc-retry-pushback-ms'] = String(RETRY_AFTER_MS);
  return new ArmatureError(
    'call.overloaded',
    `${limit} calls to ${target} are under way, the most for ${whose}: retry after ${RETRY_AFTER_MS} ms, ` +
      'or raise SVC_RESOURCE_REQUESTS_LIMIT.',
    { details: { resource: call.resourceName, service: call.method.service, limit, retryAfterMs: RETRY_AFTER_MS } },
  );
}
