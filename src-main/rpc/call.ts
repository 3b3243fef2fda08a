import type { Principal } from './principal.ts';
import type { Dialect } from '../base/dialect.ts';
import type { Status } from '../base/status.ts';
import type { LimitedConnection } from './limited-connection.ts';
import type { MetadataRecord } from './metadata.ts';
import type { Method } from './method.ts';

/** How a caller reaches us. `local` is a call made inside this process. */
export type TransportKind = 'grpc' | 'grpc-web' | 'channel' | 'webrtc' | 'local';

/**
 * One pipe to one caller: a TCP connection with HTTP/2, a message channel.
 * A gRPC-Web call over HTTP/1.1 has none of its own that outlives it:
 * `outlivesCalls` is false and `onClose` reports only the end of the request.
 */
export interface Connection {
  readonly id: string;
  readonly transport: TransportKind;
  /** IP addresses without a port, or for a Unix socket who is at its other end; '' where there is none. */
  readonly remoteAddress: string;
  readonly localAddress: string;
  readonly isLoopback: boolean;
  readonly isEncrypted: boolean;
  readonly outlivesCalls: boolean;
  readonly isClosed: boolean;
  /** Its authentication and limits; undefined where callers are trusted, or are this program itself. */
  readonly limits?: LimitedConnection | undefined;
  /** Called once when the pipe is gone. Returns a function that forgets the listener. */
  onClose(listener: () => void): () => void;
}

/**
 * One inbound call, as interceptors and handlers see it. Nothing here is
 * computed before it is used: a call that is neither cancelled nor
 * annotated pays for neither.
 */
export interface ServerCall {
  readonly method: Method;
  /** Which spelling of our names the caller uses, decided by the path of the call. */
  readonly dialect: Dialect;
  readonly metadata: Readonly<Record<string, string | string[] | undefined>>;
  readonly connection: Connection;
  /** Monotonic time at which the call arrived, milliseconds. */
  readonly startedAt: number;
  /**
   * Name of the resource the call is for (field 1 of the first request), or
   * '' for a service that has no resources. Known once the first request is.
   */
  readonly resourceName: string;
  /** Monotonic time by which the call must have ended, or undefined. */
  readonly deadline: number | undefined;
  /** Moves the deadline earlier; a later one than the caller's is ignored. */
  limitDeadline(monotonicMs: number): void;
  /** Aborts when the caller cancels, its connection closes, or the deadline passes. */
  readonly signal: AbortSignal;
  /** Whether `signal` is aborted, without creating it. */
  readonly isCancelled: boolean;
  /** Ends the call from our side, as if its caller had cancelled. */
  cancel(reason: unknown): void;
  /** Adds a response header; no effect once the first response message is out. Values are printable ASCII. */
  setHeader(key: string, value: string): void;
  /** Trailers, sent with the end of the call; interceptors and handlers may add to them. */
  readonly trailers: MetadataRecord;
  /** Set by the access interceptor; `anonymous` before. */
  principal: Principal;
  /** Set by the session interceptor: the id in `viam-sid` of a live session. */
  sessionId: string | undefined;
  /** Set by the operation interceptor. */
  operationId: string | undefined;
  /** The first request as JSON-safe data, decoded only when asked for. */
  requestAsJson(): unknown;
}

/** Runs what a call does, from its first request on, within something: a span that what it calls in turn belongs to. */
export type CallScope = (call: ServerCall, work: () => void) => void;

/**
 * A step that every call passes. Hooks run in order of registration; `end`
 * runs in reverse. Throwing from `start` or `request` refuses the call with the
 * error's status; `end` must not throw. Hooks are synchronous, but `start` may
 * return a promise where it has to: the call then waits for it, deadline included.
 */
export interface Interceptor {
  readonly name: string;
  /** The head of the call is known, no message yet. A promise that rejects refuses the call. */
  start?(call: ServerCall): Promise<void> | undefined | void;
  /**
   * The first request message is known, and so is `call.resourceName`. A call
   * that streams requests to a service without resources comes here before any message.
   */
  request?(call: ServerCall): void;
  /**
   * The call was answered, successfully or not, and its handler has returned:
   * what it held is free only now. Runs once, and not for the interceptor
   * whose `start` refused the call nor for those after it.
   */
  end?(call: ServerCall, status: Status): void;
}
