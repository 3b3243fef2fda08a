import type { CallOptions, Channel, MessageType } from './channel.ts';
import { RpcError } from './rpc-error.ts';
import { StatusCode } from '../../proto/status-code.ts';

/* eslint-disable @typescript-eslint/no-explicit-any -- the variance of generated definitions allows nothing narrower */
/** A method of a generated service definition. */
export interface MethodDefinition {
  readonly name: string;
  readonly requestType: MessageType<any>;
  readonly requestStream: boolean;
  readonly responseType: MessageType<any>;
  readonly responseStream: boolean;
}

/** A generated service definition. */
export interface ServiceDefinition {
  readonly fullName: string;
  readonly methods: Readonly<Record<string, MethodDefinition>>;
}

/** What a generated message type encodes. */
export type MessageOf<T> = T extends MessageType<infer M> ? M : never;
/* eslint-enable @typescript-eslint/no-explicit-any */

type RequestsOf<M extends MethodDefinition> = M['requestStream'] extends true
  ? AsyncIterable<MessageOf<M['requestType']>>
  : MessageOf<M['requestType']>;
export type ResponsesOf<M extends MethodDefinition> = M['responseStream'] extends true
  ? AsyncIterable<MessageOf<M['responseType']>>
  : Promise<MessageOf<M['responseType']>>;

/** A service as an object: a promise for a unary method, an async iterable for one that streams. */
export type Client<D extends ServiceDefinition> = {
  readonly [K in keyof D['methods']]: (
    request: RequestsOf<D['methods'][K]>,
    options?: CallOptions,
  ) => ResponsesOf<D['methods'][K]>;
};

/**
 * A typed client of a service.
 *
 *     const motors = createClient(MotorServiceDefinition, link);
 *     await motors.setPower({ name: 'left', powerPct: 0.5, extra: undefined });
 *
 * Calls fail with {@link RpcError}.
 */
export function createClient<D extends ServiceDefinition>(definition: D, channel: Channel): Client<D> {
  const client: Record<string, unknown> = {};
  for (const [key, method] of Object.entries(definition.methods)) {
    const path = `/${definition.fullName}/${method.name}`;
    const start = (request: unknown, options: CallOptions = {}): AsyncIterable<unknown> =>
      decodeAll(method, channel.call({ path, requests: encodeRequests(method, request), options }));
    client[key] = method.responseStream
      ? start
      : async (request: unknown, options?: CallOptions) => exactlyOne(path, start(request, options));
  }
  return client as Client<D>;
}

function encodeRequests(method: MethodDefinition, request: unknown): AsyncIterable<Uint8Array> | readonly [Uint8Array] {
  const { requestType } = method;
  if (!method.requestStream) return [requestType.encode(request).finish()];
  return (async function* () {
    for await (const message of request as AsyncIterable<unknown>) yield requestType.encode(message).finish();
  })();
}

async function* decodeAll(method: MethodDefinition, responses: AsyncIterable<Uint8Array>): AsyncGenerator<unknown> {
  for await (const bytes of responses) yield method.responseType.decode(bytes);
}

async function exactlyOne(path: string, responses: AsyncIterable<unknown>): Promise<unknown> {
  let found: { readonly value: unknown } | undefined;
  for await (const value of responses) {
    if (found !== undefined) throw new RpcError(StatusCode.INTERNAL, `${path} answered more than once`);
    found = { value };
  }
  if (found === undefined) throw new RpcError(StatusCode.INTERNAL, `${path} ended without an answer`);
  return found.value;
}
