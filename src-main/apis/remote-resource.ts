import { extraOf, jsonObject } from './fields.ts';
import type { ApiMethod } from './method.ts';
import type { CallOptions, JsonObject, Resource } from './resource.ts';
import { onAbort } from '../base/async/abort.ts';
import type { Clock } from '../base/clock.ts';
import { ArmatureError } from '../base/errors.ts';
import { StatusCode } from '../base/status.ts';
import { callPeer, type StartCall } from '../rpc/peer/outbound-call.ts';
import type { PeerCodes } from '../rpc/peer/received-error.ts';
import type { RequestOf, ResponseOf, ServiceDefinition } from '../rpc/service.ts';

/** How a resource in another process is reached. */
export interface RemoteEndpoint {
  /** Short name of the resource there. */
  readonly name: string;
  /** Starts a call there; paths are in our spelling, whatever that process uses. */
  readonly start: StartCall;
  readonly codes: PeerCodes;
  readonly clock: Clock;
  /** Aborts when the resource can no longer be called. */
  readonly closed: AbortSignal;
}

/** Time limit for methods that answer at once. Motions have none. */
const ANSWER_MS = 10_000;

export interface RemoteCallOptions extends CallOptions {
  /** Undefined has no limit. */
  readonly timeoutMs?: number | undefined;
}

/** A client for a resource in another process, with the same interface. */
export class RemoteResource<D extends ServiceDefinition> implements Resource {
  readonly name: string;
  protected readonly endpoint: RemoteEndpoint;
  readonly #service: D;

  constructor(service: D, endpoint: RemoteEndpoint) {
    this.#service = service;
    this.endpoint = endpoint;
    this.name = endpoint.name;
  }

  /**
   * One call of the resource.
   * @throws {ArmatureError} the other side's error, or `codes.unreachable`
   */
  protected call<K extends keyof D['methods'] & string>(
    method: K,
    request: RequestOf<D['methods'][K]>,
    options: RemoteCallOptions = {},
  ): Promise<ResponseOf<D['methods'][K]>> {
    const timeoutMs = 'timeoutMs' in options ? options.timeoutMs : ANSWER_MS;
    return this.#send(method, request as Readonly<Record<string, unknown>>, { ...options, timeoutMs }) as Promise<
      ResponseOf<D['methods'][K]>
    >;
  }

  /**
   * Calls a method of its API.
   * @param given arguments, and options after them
   */
  async invoke({ rpc, fields, result, isMotion, nameKey }: ApiMethod, given: readonly unknown[]): Promise<unknown> {
    const { extra, signal } = (given[fields.length] ?? {}) as CallOptions;
    const request: Record<string, unknown> = { [nameKey]: this.name, extra };
    for (const [index, [key, field]] of fields.entries()) request[key] = field.write(given[index], this);
    const answer = await this.#send(rpc, request, { signal, timeoutMs: isMotion ? undefined : ANSWER_MS });
    return result?.read(answer, this);
  }

  async doCommand(command: JsonObject, options: CallOptions = {}): Promise<JsonObject> {
    const answer = await this.#send('doCommand', { name: this.name, command }, options);
    return jsonObject(answer['result'] as JsonObject | undefined);
  }

  /** Empty if the other side has no such method. */
  async status(): Promise<JsonObject> {
    try {
      const answer = await this.#send('getStatus', { name: this.name }, { timeoutMs: ANSWER_MS });
      return jsonObject(answer['result'] as JsonObject | undefined);
    } catch (thrown) {
      if (thrown instanceof ArmatureError && thrown.code === 'call.unimplemented') return {};
      throw thrown;
    }
  }

  /** There is nothing to release. */
  close(): Promise<void> {
    return Promise.resolve();
  }

  #send(
    rpc: string,
    request: Readonly<Record<string, unknown>>,
    { timeoutMs, signal }: RemoteCallOptions,
  ): Promise<Readonly<Record<string, unknown>>> {
    const { codes, start } = this.endpoint;
    const service: ServiceDefinition = this.#service;
    return callPeer(cancelledBy(signal, start), service, rpc, request, { timeoutMs, codes });
  }
}

/** `name` and `extra` of a request. */
export function addressed(
  name: string,
  { extra }: CallOptions = {},
): { readonly name: string; readonly extra: JsonObject | undefined } {
  return { name, extra: extraOf({ extra }) };
}

/** Starts calls that are cancelled, and end at once, when `signal` aborts. */
export function cancelledBy(signal: AbortSignal | undefined, start: StartCall): StartCall {
  if (signal === undefined) return start;
  return (path, metadata, timeoutMs, responder) => {
    let isEnded = false;
    let unsubscribe = (): void => undefined;
    const sink = start(path, metadata, timeoutMs, {
      headers: (received) => responder.headers(received),
      message: (bytes, isLast) => responder.message(bytes, isLast),
      end: (status, trailers) => {
        if (isEnded) return;
        isEnded = true;
        unsubscribe();
        responder.end(status, trailers);
      },
    });
    unsubscribe = onAbort(signal, () => {
      if (isEnded) return;
      isEnded = true;
      sink.cancel('its caller is gone');
      responder.end({ code: StatusCode.CANCELLED, message: 'the call was cancelled: its caller is gone' }, {});
    });
    return sink;
  };
}
