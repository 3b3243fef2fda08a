import { Client, credentials, Metadata, type ChannelOptions, type ClientReadableStream } from '@grpc/grpc-js';
import type { RequestOf, ResponseOf, ServiceDefinition } from '../../src-main/rpc/service.ts';

/** Default timeout of a call, for a computer that is not emulated. */
const CALL_LIMIT_MS = 15_000;

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

/** Where a client connects to. A bare address has no proof of identity; with a server, its launch token is sent. */
export type Target = string | { readonly url: string; readonly token: string };

/** A stream of requests with one answer. */
export interface Sending<Request, Response> {
  /** Settles when the message has been sent or the call has ended. */
  write(request: Request): Promise<void>;
  end(): Promise<Response>;
  readonly answer: Promise<Response>;
  cancel(): void;
}

/** The path for `core.component.motor.v1.MotorService` and `setPower`. */
export function methodPath(service: ServiceDefinition, method: string): string {
  return `/${service.fullName}/${service.methods[method]?.name ?? method}`;
}

/** Options of grpc-js, and the default timeout of calls, ms. */
export type ClientOptions = ChannelOptions & { readonly callLimitMs?: number };

/** Timeout for a connection. */
const CONNECT_LIMIT_MS = 20_000;

/** A plain grpc-js client with the generated messages and a connection that it shares with no other client. */
export class GrpcClient {
  readonly #client: Client;
  readonly #proof: Readonly<Record<string, string>>;
  readonly #callLimitMs: number;

  /**
   * @param target `http://localhost:PORT` as the server prints it, `host:port`, or a server with its launch token
   * @param authority certificate to trust, PEM; if given, the connection uses TLS
   */
  constructor(target: Target, { callLimitMs = CALL_LIMIT_MS, ...options }: ClientOptions = {}, authority?: string) {
    this.#callLimitMs = callLimitMs;
    const address = typeof target === 'string' ? target : target.url;
    this.#proof = typeof target === 'string' ? {} : { authorization: `Bearer ${target.token}` };
    const channel =
      authority === undefined ? credentials.createInsecure() : credentials.createSsl(Buffer.from(authority));
    this.#client = new Client(address.replace(/^https?:\/\//, ''), channel, {
      // By default, clients with equal options share connections; here, closing a client must close its connection.
      'grpc.use_local_subchannel_pool': 1,
      // The server's own limit instead of the 4 MiB of grpc-js.
      'grpc.max_receive_message_length': 32 * 1024 * 1024,
      ...options,
    });
  }

  /** Makes a unary call. Rejects with the ServiceError of grpc-js (`code`, `details`, `metadata`). */
  call<D extends ServiceDefinition, K extends keyof D['methods'] & string>(
    service: D,
    method: K,
    request: RequestOf<D['methods'][K]>,
    options: CallOptions = {},
  ): Promise<ResponseOf<D['methods'][K]>> {
    const definition = service.methods[method];
    if (definition === undefined) throw new Error(`${service.fullName} has no ${method}`);
    return new Promise((resolve, reject) => {
      this.#client.makeUnaryRequest(
        methodPath(service, method),
        (message: unknown) => Buffer.from(definition.requestType.encode(message).finish()),
        (bytes: Buffer) => definition.responseType.decode(bytes) as ResponseOf<D['methods'][K]>,
        request,
        this.#metadataOf(options),
        { deadline: Date.now() + (options.timeoutMs ?? this.#callLimitMs) },
        (error, response) => {
          if (error === null) resolve(response as ResponseOf<D['methods'][K]>);
          else reject(error);
        },
      );
    });
  }

  /** Opens a stream of answers without a deadline; the caller cancels it. */
  stream<D extends ServiceDefinition, K extends keyof D['methods'] & string>(
    service: D,
    method: K,
    request: RequestOf<D['methods'][K]>,
    options: CallOptions = {},
  ): ClientReadableStream<ResponseOf<D['methods'][K]>> {
    const definition = service.methods[method];
    if (definition === undefined) throw new Error(`${service.fullName} has no ${method}`);
    return this.#client.makeServerStreamRequest(
      methodPath(service, method),
      (message: unknown) => Buffer.from(definition.requestType.encode(message).finish()),
      (bytes: Buffer) => definition.responseType.decode(bytes) as ResponseOf<D['methods'][K]>,
      request,
      this.#metadataOf(options),
    );
  }

  /** Opens a stream of requests with one answer. */
  sending<D extends ServiceDefinition, K extends keyof D['methods'] & string>(
    service: D,
    method: K,
    options: CallOptions = {},
  ): Sending<RequestOf<D['methods'][K]>, ResponseOf<D['methods'][K]>> {
    const definition = service.methods[method];
    if (definition === undefined) throw new Error(`${service.fullName} has no ${method}`);
    let settle: (error: Error | null, response?: unknown) => void = () => undefined;
    const answer = new Promise<ResponseOf<D['methods'][K]>>((resolve, reject) => {
      settle = (error, response) => (error === null ? resolve(response as ResponseOf<D['methods'][K]>) : reject(error));
    });
    const call = this.#client.makeClientStreamRequest(
      methodPath(service, method),
      (message: unknown) => Buffer.from(definition.requestType.encode(message).finish()),
      (bytes: Buffer): unknown => definition.responseType.decode(bytes),
      this.#metadataOf(options),
      (error, response) => settle(error, response),
    );
    answer.catch(() => undefined); // not unhandled while nobody waits for it
    return {
      write: (request) => new Promise((resolve) => call.write(request, () => resolve())),
      end: () => {
        call.end();
        return answer;
      },
      answer,
      cancel: () => call.cancel(),
    };
  }

  /** Makes a unary call with any path and bytes, for requests that no generated client would send. */
  raw(path: string, bytes: Uint8Array, options: CallOptions = {}): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#client.makeUnaryRequest(
        path,
        (message: Uint8Array) => Buffer.from(message),
        (answer: Buffer) => answer,
        bytes,
        this.#metadataOf(options),
        { deadline: Date.now() + (options.timeoutMs ?? this.#callLimitMs) },
        (error, answer) => {
          if (error === null) resolve(answer ?? Buffer.alloc(0));
          else reject(error);
        },
      );
    });
  }

  /** Settles once there is a connection: calls fail for a moment after a server has come back. */
  connected(): Promise<void> {
    return new Promise((resolve, reject) =>
      this.#client.waitForReady(Date.now() + CONNECT_LIMIT_MS, (error) => (error ? reject(error) : resolve())),
    );
  }

  close(): void {
    this.#client.close();
  }

  #metadataOf(options: CallOptions): Metadata {
    const metadata = new Metadata();
    for (const [name, value] of Object.entries({ ...this.#proof, ...options.headers })) metadata.set(name, value);
    return metadata;
  }
}
