import type { ServerCall } from '../../rpc/call.ts';
import type { MethodDefinition, RequestOf, ResponseOf, ServiceDefinition, ServiceHandlers } from '../../rpc/service.ts';
import { callerOf, type Caller } from './caller.ts';
import type { Hub } from '../hub.ts';

type Requests<M extends MethodDefinition> = M['requestStream'] extends true
  ? AsyncIterable<RequestOf<M>>
  : RequestOf<M>;

type Responses<M extends MethodDefinition> = M['responseStream'] extends true
  ? AsyncIterable<ResponseOf<M>>
  : ResponseOf<M> | Promise<ResponseOf<M>>;

/** Handlers of a hub's service: none runs before it is known who calls, and what they may. */
export type HubHandlers<D extends ServiceDefinition> = {
  readonly [K in keyof D['methods']]?: (
    request: Requests<D['methods'][K]>,
    caller: Caller,
    call: ServerCall,
  ) => Responses<D['methods'][K]>;
};

type AnyHubHandler = (request: unknown, caller: Caller, call: ServerCall) => unknown;

/**
 * Makes handlers that the router can call of those that want to know their
 * caller. Services of a hub are mounted through this alone.
 */
export function guarded<D extends ServiceDefinition>(
  definition: D,
  handlers: HubHandlers<D>,
  hub: Hub,
): ServiceHandlers<D> {
  const callerFor = (call: ServerCall): Promise<Caller> =>
    callerOf(call.principal, hub.store.db, (message) => hub.onDenied(call, message));
  const entries = Object.entries(handlers as Record<string, AnyHubHandler>).map(([name, handler]) => {
    const unary = async (request: unknown, call: ServerCall): Promise<unknown> =>
      handler(request, await callerFor(call), call);
    async function* streamed(request: unknown, call: ServerCall): AsyncGenerator {
      yield* handler(request, await callerFor(call), call) as AsyncIterable<unknown>;
    }
    return [name, definition.methods[name]?.responseStream === true ? streamed : unary];
  });
  return Object.fromEntries(entries) as ServiceHandlers<D>;
}
