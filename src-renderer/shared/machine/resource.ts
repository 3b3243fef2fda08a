import type { Channel } from '../../link/channel.ts';
import {
  createClient,
  type Client,
  type MessageOf,
  type MethodDefinition,
  type ResponsesOf,
  type ServiceDefinition,
} from '../../link/client.ts';
import { quick, stopTimeoutMs } from './calls/call-options.ts';
import { shortName } from './machine-view.ts';

/** What a request of a method says beside the resource it is for. */
export type Asked<M extends MethodDefinition> = Omit<
  MessageOf<M['requestType']>,
  'name' | 'boardName' | 'controller' | 'extra'
>;

export interface ResourceCallOptions {
  /** Cancels the call, also one that is not sent yet. */
  readonly signal?: AbortSignal;
  /** It is answered when something is done, however long that takes: no deadline but the end of the link. */
  readonly untilDone?: boolean;
}

/** The API of one resource: requests without its name. Calls reject with an `RpcError`. */
export type ResourceClient<D extends ServiceDefinition> = {
  readonly [K in keyof D['methods']]: (
    request: Asked<D['methods'][K]>,
    options?: ResourceCallOptions,
  ) => ResponsesOf<D['methods'][K]>;
};

/** By the words of the field, these only look. Everything else may move something. */
const looks = /^(Get|Is|List|Read)(?![a-z])/;

/** Whether a method only looks, as far as its name (`GetPosition`) tells. */
export function onlyLooks(method: string): boolean {
  return looks.test(method);
}

/**
 * How a call of a resource goes out. What may move something belongs to the page's safety session; what stops, and what
 * only looks, goes past the session and waits for none.
 */
export function routeOf({ methods }: ServiceDefinition, { name }: MethodDefinition): 'session' | 'stop' | 'look' {
  if (name === 'Stop') return 'stop';
  // What SetPWM sets, PWM tells.
  const isSetByAnother = Object.values(methods).some((other) => other.name === `Set${name}`);
  return onlyLooks(name) || isSetByAnother ? 'look' : 'session';
}

/** @param session carries what may move something; @param link the rest */
export function resourceClients(session: Channel, link: Channel) {
  return <D extends ServiceDefinition>(definition: D, fullName: string): ResourceClient<D> => {
    const calls = Object.entries(definition.methods).map(([key, method]) => {
      const route = routeOf(definition, method);
      const client: Client<ServiceDefinition> = createClient<ServiceDefinition>(
        definition,
        route === 'session' ? session : link,
      );
      const inTime = route === 'stop' ? { timeoutMs: stopTimeoutMs } : quick;
      const call = (request: object, { untilDone = false, signal }: ResourceCallOptions = {}): unknown =>
        client[key]?.(addressed(method, fullName, request), {
          ...(untilDone || method.responseStream ? {} : inTime),
          ...(signal === undefined ? {} : { signal }),
        });
      return [key, call];
    });
    return Object.fromEntries(calls) as ResourceClient<D>;
  };
}

/**
 * A request with the name of its resource. That is the first field of every request of a resource, and not always
 * called `name`.
 */
export function addressed(method: MethodDefinition, fullName: string, request: object): object {
  const empty = method.requestType.decode(new Uint8Array()) as object;
  const [nameField = 'name'] = Object.keys(empty);
  return { ...empty, ...request, [nameField]: shortName(fullName) };
}
