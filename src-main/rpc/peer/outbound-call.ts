import { encodeMessage } from '../../../proto/message.ts';
import { onAbort } from '../../base/async/abort.ts';
import { AsyncQueue } from '../../base/async/async-queue.ts';
import { ArmatureError } from '../../base/errors.ts';
import { StatusCode, type Status } from '../../base/status.ts';
import type { MetadataRecord } from '../metadata.ts';
import { receivedError, type PeerCodes } from './received-error.ts';
import type { RequestSink, Responder } from '../router.ts';
import type { MethodDefinition, RequestOf, ResponseOf, ServiceDefinition } from '../service.ts';

/** Starts a call at a peer, however it is reached. */
export type StartCall = (
  path: string,
  metadata: Readonly<MetadataRecord>,
  timeoutMs: number | undefined,
  responder: Responder,
) => RequestSink;

/** A connection to another program, which may break at any time: calls then end with UNAVAILABLE. */
export interface PeerCaller {
  /** Starts a call of any shape; its answers go to the responder. */
  readonly start: StartCall;
  /** Ends every call. */
  close(): void;
}

export interface OutboundOptions {
  readonly metadata?: Readonly<MetadataRecord>;
  /** Undefined has no limit. */
  readonly timeoutMs: number | undefined;
  readonly codes: PeerCodes;
}

export function methodPath(service: ServiceDefinition, method: MethodDefinition): string {
  return `/${service.fullName}/${method.name}`;
}

/**
 * One request, one answer.
 * @throws {ArmatureError} what the peer said, or one of `options.codes`
 */
export function callPeer<D extends ServiceDefinition, K extends keyof D['methods'] & string>(
  start: StartCall,
  service: D,
  method: K,
  request: RequestOf<D['methods'][K]>,
  { metadata = {}, timeoutMs, codes }: OutboundOptions,
): Promise<ResponseOf<D['methods'][K]>> {
  const definition = definitionOf(service, method);
  return new Promise((resolve, reject) => {
    let answer: Uint8Array | undefined;
    const sink = start(methodPath(service, definition), metadata, timeoutMs, {
      headers: () => undefined,
      message: (bytes) => {
        answer = bytes;
        return undefined;
      },
      end: (status, trailers) => {
        if (status.code !== StatusCode.OK) reject(receivedError(status, trailers, codes));
        else if (answer === undefined) reject(new ArmatureError('internal.bug', `${definition.name} had no answer.`));
        else resolve(definition.responseType.decode(answer) as ResponseOf<D['methods'][K]>);
      },
    });
    void sink.message(encodeMessage(definition.requestType, request));
    sink.halfClose();
  });
}

/**
 * Several requests, which the peer reads one after the other, and one answer. If the peer answers before it has read
 * them all, the rest is not sent.
 * @throws {ArmatureError} the peer's error, or one of `options.codes`; and errors of `requests`
 */
export async function sendToPeer<D extends ServiceDefinition, K extends keyof D['methods'] & string>(
  start: StartCall,
  service: D,
  method: K,
  requests: AsyncIterable<RequestOf<D['methods'][K]>> | Iterable<RequestOf<D['methods'][K]>>,
  { metadata = {}, timeoutMs, codes }: OutboundOptions,
): Promise<ResponseOf<D['methods'][K]>> {
  const definition = definitionOf(service, method);
  const { promise, resolve, reject } = Promise.withResolvers<ResponseOf<D['methods'][K]>>();
  let answer: Uint8Array | undefined;
  let hasEnded = false;
  const sink = start(methodPath(service, definition), metadata, timeoutMs, {
    headers: () => undefined,
    message: (bytes) => {
      answer = bytes;
      return undefined;
    },
    end: (status, trailers) => {
      hasEnded = true;
      if (status.code !== StatusCode.OK) reject(receivedError(status, trailers, codes));
      else if (answer === undefined) reject(new ArmatureError('internal.bug', `${definition.name} had no answer.`));
      else resolve(definition.responseType.decode(answer) as ResponseOf<D['methods'][K]>);
    },
  });
  const answered = promise.then(
    () => undefined,
    () => undefined,
  );
  try {
    for await (const request of requests) {
      if (hasEnded) break;
      // A peer that has answered reads nothing more.
      await Promise.race([sink.message(encodeMessage(definition.requestType, request)), answered]);
    }
  } catch (thrown) {
    sink.cancel('what was to be sent cannot be read');
    await answered;
    throw thrown;
  }
  sink.halfClose();
  return promise;
}

export interface StreamOptions extends OutboundOptions {
  /** Ends the call while nothing arrives: the stream then fails with `call.cancelled`. */
  readonly signal?: AbortSignal;
}

/** A stream of answers to one request, as it is read; `return` of its iterator ends the call. */
export async function* streamFromPeer<D extends ServiceDefinition, K extends keyof D['methods'] & string>(
  start: StartCall,
  service: D,
  method: K,
  request: RequestOf<D['methods'][K]>,
  { metadata = {}, timeoutMs, codes, signal }: StreamOptions,
): AsyncGenerator<ResponseOf<D['methods'][K]>> {
  const definition = definitionOf(service, method);
  // One answer at a time: the peer waits for the reader.
  let taken: () => void = () => undefined;
  const queue = new AsyncQueue<Uint8Array>(() => taken());
  const sink = start(methodPath(service, definition), metadata, timeoutMs, {
    headers: () => undefined,
    message: (bytes) => {
      queue.push(bytes);
      return queue.size === 0 ? undefined : new Promise((resolve) => (taken = resolve));
    },
    end: (status: Status, trailers: MetadataRecord) => {
      if (status.code === StatusCode.OK) queue.end();
      else queue.fail(receivedError(status, trailers, codes));
    },
  });
  void sink.message(encodeMessage(definition.requestType, request));
  sink.halfClose();
  const unsubscribe = signal === undefined ? undefined : onAbort(signal, () => sink.cancel('nobody waits any more'));
  try {
    for await (const bytes of queue) yield definition.responseType.decode(bytes) as ResponseOf<D['methods'][K]>;
  } finally {
    unsubscribe?.();
    taken();
    sink.cancel('nobody reads any more');
  }
}

function definitionOf(service: ServiceDefinition, method: string): MethodDefinition {
  const definition = service.methods[method];
  if (definition === undefined) throw new ArmatureError('internal.bug', `${service.fullName} has no ${method}.`);
  return definition;
}
