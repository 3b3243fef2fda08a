import type { ServerCall } from '../../rpc/call.ts';
import type { MethodDefinition, RequestOf, ResponseOf, ServiceDefinition, ServiceHandlers } from '../../rpc/service.ts';
import type { Caller } from './caller.ts';

type Requests<M extends MethodDefinition> = M['requestStream'] extends true
  ? AsyncIterable<RequestOf<M>>
  : RequestOf<M>;

type Responses<M extends MethodDefinition> = M['responseStream'] extends true
  ? AsyncIterable<ResponseOf<M>>
  : ResponseOf<M> | Promise<ResponseOf<M>>;

/** Handlers of a hub's service: none runs before the caller and their rights are known. */
export type HubHandlers<D extends ServiceDefinition> = {
  readonly [K in keyof D['methods']]?: (
    request: Requests<D['methods'][K]>,
    caller: Caller,
    call: ServerCall,
  ) => Responses<D['methods'][K]>;
};

/** Identifies the caller of a call. @throws {ArmatureError} `access.unauthenticated` */
export type Identify = (call: ServerCall) => Promise<Caller>;

type AnyHubHandler = (request: unknown, caller: Caller, call: ServerCall) => unknown;

/**
 * Wraps handlers that need to know their caller as handlers for the router. Services of a hub must only be mounted
 * through this.
 */
export function guarded<D extends ServiceDefinition>(
  definition: D,
  handlers: HubHandlers<D>,
  identify: Identify,
): ServiceHandlers<D> {
  const entries = Object.entries(handlers as Record<string, AnyHubHandler>).map(([name, handler]) => {
    const unary = async (request: unknown, call: ServerCall): Promise<unknown> =>
      handler(request, await identify(call), call);
    async function* streamed(request: unknown, call: ServerCall): AsyncGenerator {
      yield* handler(request, await identify(call), call) as AsyncIterable<unknown>;
    }
    return [name, definition.methods[name]?.responseStream === true ? streamed : unary];
  });
  return Object.fromEntries(entries) as ServiceHandlers<D>;
}
