import { callOptions, extraOf, protoName, unimplemented } from './fields.ts';
import { commonHandlers } from './common-handlers.ts';
import type { ApiMethod } from './method.ts';
import { RemoteResource, type RemoteEndpoint } from './remote-resource.ts';
import type { Actuator, Resource, StopOptions } from './resource.ts';
import type { ServerCall } from '../rpc/call.ts';
import type { ResourceHandlers, ServiceDefinition } from '../rpc/service.ts';

/** A resource API as the machine knows it: how an instance is served, and how one elsewhere is called. */
export interface ResourceApi<R extends Resource = Resource, D extends ServiceDefinition = ServiceDefinition> {
  /** Triplet in our spelling, `core:component:motor`. */
  readonly api: string;
  readonly service: D;
  readonly handlers: ResourceHandlers<R, D>;
  /** Whether instances are {@link Actuator}s, stopped by sessions and StopAll. */
  readonly isActuator: boolean;
  /** Keys of the methods that only read. */
  readonly readings: ReadonlySet<string>;
  /** A client for an instance in another process. */
  readonly client: (endpoint: RemoteEndpoint) => R;
}

/** Methods that can be described by arguments and a result: those that return a promise. */
type Remote<R> = {
  [K in keyof R]-?: NonNullable<R[K]> extends (...values: never[]) => Promise<unknown> ? K : never;
}[keyof R];

/**
 * Everything that the machine knows about an API.
 * @typeParam Own methods of the resource that `beyond` implements all the same
 */
export interface ApiDefinition<R extends Resource, D extends ServiceDefinition, Own extends Remote<R> = never> {
  readonly api: string;
  readonly service: D;
  /** Every method of the resource, except those that all resources have. */
  readonly methods: { readonly [K in Exclude<Remote<R>, keyof Resource | Own>]: ApiMethod };
  /** What cannot be described by `methods`. */
  readonly beyond?: {
    readonly handlers: ResourceHandlers<R, D>;
    /** Keys of those handlers that only read. */
    readonly readings: readonly (keyof D['methods'] & string)[];
    /** The client part of an instance in another process, without the `methods`. */
    readonly client: (endpoint: RemoteEndpoint) => Omit<R, Exclude<Remote<R>, Own>> & RemoteResource<D>;
  };
}

/** Defines an API. One per file, exported as `<file>Api`: the generator finds it by that name. */
export function defineApi<R extends Resource, D extends ServiceDefinition, Own extends Remote<R> = never>({
  api,
  service,
  methods,
  beyond,
}: ApiDefinition<R, D, Own>): ResourceApi<R, D> {
  const table = Object.entries<ApiMethod>(methods);
  const common = Object.fromEntries(Object.entries(commonHandlers).filter(([key]) => key in service.methods));
  const handlers = {
    ...common,
    ...Object.fromEntries(table.map(([name, method]) => [method.rpc, serving(service, name, method)])),
    ...beyond?.handlers,
  };
  const reading = table.filter(([, { result }]) => result !== undefined).map(([, { rpc }]) => rpc);
  return {
    api,
    service,
    isActuator: 'stop' in methods,
    readings: new Set([
      ...reading,
      ...(beyond?.readings ?? []),
      ...Object.keys(common).filter((key) => key !== 'doCommand'),
    ]),
    handlers: handlers as unknown as ResourceHandlers<R, D>,
    client(endpoint) {
      const remote = beyond?.client(endpoint) ?? new RemoteResource(service, endpoint);
      const calling = table.map(([name, method]) => [name, (...given: unknown[]) => remote.invoke(method, given)]);
      return Object.assign(remote, Object.fromEntries(calling) as object) as unknown as R;
    },
  };
}

type AnyMethod = ((...values: unknown[]) => Promise<unknown>) | undefined;

/** The handler that calls a method of a resource by its name. */
function serving(service: ServiceDefinition, name: string, method: ApiMethod) {
  const { rpc, fields, result, endsWithCaller } = method;
  const reads = fields.map(([key, field]) => [key, protoName(key), field] as const);
  // The caller of Stop is responsible for what the outputs do next.
  const always: StopOptions = name === 'stop' ? { isCommanded: true } : {};
  return async (resource: Resource, request: Readonly<Record<string, unknown>>, call: ServerCall): Promise<object> => {
    const run = (resource as unknown as Readonly<Record<string, AnyMethod>>)[name];
    if (run === undefined) throw unimplemented(resource, service.methods[rpc]?.name ?? rpc);
    const given = reads.map(([key, argument, field]): unknown => field.read(request[key], resource, argument));
    const options = endsWithCaller ? callOptions(request, call) : { extra: extraOf(request), ...always };
    const answer = await run.call(resource, ...given, options);
    return result === undefined ? {} : result.write(answer, resource);
  };
}

export function isActuator(resource: Resource): resource is Actuator {
  return 'stop' in resource && typeof resource.stop === 'function';
}
