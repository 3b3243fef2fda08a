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
import type { SentCommands } from './sent-commands.ts';

/** The fields of a method's request without the name of the resource. */
export type RequestFields<M extends MethodDefinition> = Omit<
  MessageOf<M['requestType']>,
  'name' | 'boardName' | 'controller' | 'extra'
>;

export interface ResourceCallOptions {
  /** Cancels the call, also before it was sent. */
  readonly signal?: AbortSignal;
  /** The call is answered when an action is done, however long that takes: it has no deadline. */
  readonly untilDone?: boolean;
}

/** The API of one resource: requests without its name. Calls reject with an `RpcError`. */
export type ResourceClient<D extends ServiceDefinition> = {
  readonly [K in keyof D['methods']]: (
    request: RequestFields<D['methods'][K]>,
    options?: ResourceCallOptions,
  ) => ResponsesOf<D['methods'][K]>;
};

/** Methods with these names only read. Any other method may move something. */
const READ_ONLY_NAME = /^(Get|Is|List|Read)(?![a-z])/;

/** Whether a method only reads, judged by its name (`GetPosition`). */
export function isReadOnlyMethod(method: string): boolean {
  return READ_ONLY_NAME.test(method);
}

/**
 * How a call of a resource is sent. Calls that may move something belong to the page's safety session. Calls that stop
 * or only read bypass it and never wait for a session.
 */
export function routeOf({ methods }: ServiceDefinition, { name }: MethodDefinition): 'session' | 'stop' | 'look' {
  if (name === 'Stop') return 'stop';
  // SetPWM sets what PWM reads.
  const isSetByAnother = Object.values(methods).some((other) => other.name === `Set${name}`);
  return isReadOnlyMethod(name) || isSetByAnother ? 'look' : 'session';
}

/**
 * @param session carries the calls that may move something
 * @param link carries the others
 * @param sent is told of all calls but those that only read
 */
export function resourceClients(session: Channel, link: Channel, sent: SentCommands) {
  return <D extends ServiceDefinition>(definition: D, fullName: string): ResourceClient<D> => {
    const calls = Object.entries(definition.methods).map(([key, method]) => {
      const route = routeOf(definition, method);
      const client: Client<ServiceDefinition> = createClient<ServiceDefinition>(
        definition,
        route === 'session' ? session : link,
      );
      const inTime = route === 'stop' ? { timeoutMs: stopTimeoutMs } : quick;
      const call = (request: object, { untilDone = false, signal }: ResourceCallOptions = {}): unknown => {
        const answer: unknown = client[key]?.(requestFor(method, fullName, request), {
          ...(untilDone || method.responseStream ? {} : inTime),
          ...(signal === undefined ? {} : { signal }),
        });
        if (route !== 'look' && answer instanceof Promise) {
          sent.note({ resource: shortName(fullName), method: method.name, request }, answer);
        }
        return answer;
      };
      return [key, call];
    });
    return Object.fromEntries(calls) as ResourceClient<D>;
  };
}

/**
 * A request with the name of its resource. That name is the first field of every resource request; the field is not
 * always called `name`.
 */
export function requestFor(method: MethodDefinition, fullName: string, request: object): object {
  const empty = method.requestType.decode(new Uint8Array()) as object;
  const [nameField = 'name'] = Object.keys(empty);
  return { ...empty, ...request, [nameField]: shortName(fullName) };
}
