import type { Principal } from './principal.ts';
import type { Dialect } from '../base/dialect.ts';
import type { Status } from '../base/status.ts';
import type { LimitedConnection } from './limited-connection.ts';
import type { MetadataRecord } from './metadata.ts';
import type { Method } from './method.ts';

/** How a caller reaches us. `local` is a call made inside this process. */
export type TransportKind = 'grpc' | 'grpc-web' | 'channel' | 'webrtc' | 'local';

/**
 * A connection to one caller: a TCP connection with HTTP/2, or a message channel. A gRPC-Web call over HTTP/1.1 has no
 * connection that outlives it: `outlivesCalls` is false, and `onClose` reports only the end of the request.
 */
export interface Connection {
  readonly id: string;
  readonly transport: TransportKind;
  /** IP addresses without a port; for a Unix socket, who is at the other end; '' if there is none. */
  readonly remoteAddress: string;
  readonly localAddress: string;
  /** TCP ports; undefined for every other connection. */
  readonly remotePort?: number | undefined;
  readonly localPort?: number | undefined;
  readonly isLoopback: boolean;
  readonly isEncrypted: boolean;
  readonly outlivesCalls: boolean;
  readonly isClosed: boolean;
  /** Its authentication and limits; undefined for trusted callers and for this program itself. */
  readonly limits?: LimitedConnection | undefined;
  /** Called once when the connection has closed. Returns an unsubscribe function. */
  onClose(listener: () => void): () => void;
}

/**
 * One inbound call, as interceptors and handlers see it. Nothing here is computed before it is used, so a call pays
 * only for what it needs.
 */
export interface ServerCall {
  readonly method: Method;
  /** The caller's spelling of our names, determined by the path of the call. */
  readonly dialect: Dialect;
  readonly metadata: Readonly<Record<string, string | string[] | undefined>>;
  readonly connection: Connection;
  /** Monotonic time at which the call arrived, milliseconds. */
  readonly startedAt: number;
  /**
   * Name of the resource that the call is for (field 1 of the first request), or '' for a service without resources.
   * Known when the first request has arrived.
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
  /** Adds a response header; has no effect after the first response message was sent. Values are printable ASCII. */
  setHeader(key: string, value: string): void;
  /** Trailers, sent with the end of the call; interceptors and handlers may add to them. */
  readonly trailers: MetadataRecord;
  /** Set by the access interceptor; `anonymous` before. */
  principal: Principal;
  /** Set by the session interceptor: the id in `viam-sid` of a live session. */
  sessionId: string | undefined;
  /** Set by the operation interceptor. */
  operationId: string | undefined;
  /** The first request as JSON-safe data, decoded only when called. */
  requestAsJson(): unknown;
}

/**
 * Runs the handling of the call, from its first request on, within a context: a span that is the parent of the calls it
 * makes.
 */
export type CallScope = (call: ServerCall, work: () => void) => void;

/**
 * A step that every call passes. Hooks run in the order of registration; `end` runs in reverse. An error thrown by
 * `start` or `request` refuses the call with its status; `end` must not throw. Hooks are synchronous, but `start` may
 * return a promise if necessary: the call, including its deadline, then waits for it.
 */
export interface Interceptor {
  readonly name: string;
  /** The header of the call has arrived, no message yet. A rejected promise refuses the call. */
  start?(call: ServerCall): Promise<void> | undefined | void;
  /**
   * The first request message has arrived, and with it `call.resourceName`. A call that streams requests to a service
   * without resources gets here before any message.
   */
  request?(call: ServerCall): void;
  /**
   * The call was answered, successfully or not, and its handler has returned: its resources are free only now. Runs
   * once, and not for the interceptor whose `start` refused the call nor for later ones.
   */
  end?(call: ServerCall, status: Status): void;
}
