import type { CallScope, ServerCall, Connection, Interceptor } from './call.ts';
import type { MetadataRecord } from './metadata.ts';
import type { Method } from './method.ts';
import type { ResourceHandlers, ServiceDefinition, ServiceHandlers } from './service.ts';
import type { ArmatureError } from '../base/errors.ts';
import type { Status } from '../base/status.ts';

/** The header of a call, as read by a transport. */
export interface CallHead {
  /** Path as the caller wrote it. */
  readonly path: string;
  /** Headers of the request, including those of the transport (`:path`, `content-type`). */
  readonly metadata: Readonly<Record<string, string | string[] | undefined>>;
  /** Time the caller gives the call, milliseconds from now. */
  readonly timeoutMs: number | undefined;
  readonly connection: Connection;
}

/** Answers one caller; implemented by each transport. No method throws; calls after the end are ignored. */
export interface Responder {
  /** Sends the response headers. Called at most once, before the first message; not called if there are none. */
  headers(metadata: MetadataRecord): void;
  /**
   * Sends one message. A promise means: wait for it before sending more. It
   * settles too when the caller is gone, and never rejects.
   * @param isLast `end` with OK follows at once: a transport may hold the message and send both in one go
   */
  message(bytes: Uint8Array, isLast: boolean): Promise<void> | undefined;
  /** Ends the call. Where neither `headers` nor `message` was called, this is a trailers-only answer. */
  end(status: Status, trailers: MetadataRecord): void;
}

/** Receives from a transport what the caller sends. Calls after the end are ignored. */
export interface RequestSink {
  /** Bytes of the largest request that is taken, where that is less than the transport takes anyway. */
  readonly maxRequestBytes?: number | undefined;
  /**
   * It is not known yet whether the caller is allowed: nothing is read from it, or inflated, until this settles. Never
   * rejects.
   */
  readonly admission?: Promise<void> | undefined;
  /** One complete message. A promise means: do not read more until it settles. */
  message(bytes: Uint8Array): Promise<void> | undefined;
  /** The caller has sent its last message. */
  halfClose(): void;
  /**
   * The caller cancelled, or its connection has closed. An error as the reason means that the request could not be
   * read: the call ends with it.
   */
  cancel(reason: string | ArmatureError): void;
}

/** Forwards a call's bytes unchanged; used for resources in another process. */
export interface Forwarder {
  /**
   * @param path the method as the caller spelled it; `call.method.path` is the canonical one
   * @param responder the way back; its `end` ends the call
   */
  start(call: ServerCall, path: string, responder: Responder): RequestSink;
}

/** The target of a resource name: an instance in this process, or a forwarder. */
export type ResourceTarget<R> =
  { readonly kind: 'local'; readonly resource: R } | { readonly kind: 'forward'; readonly forwarder: Forwarder };

/**
 * Finds the target of a name for a caller. Throws `resource.not_found`, `resource.not_ready`
 * or `resource.disabled`. Its cost must not depend on the number of resources.
 */
export type ResourceResolver<R> = (name: string, call: Pick<ServerCall, 'principal'>) => ResourceTarget<R>;

/** A service in another process: the program has no definition of it and forwards its calls. */
export interface ForeignService {
  /** Full canonical proto name. */
  readonly fullName: string;
  readonly methods: readonly Method[];
  /** A serialized `google.protobuf.FileDescriptorSet` with the service and all its imports: reflection returns it. */
  readonly descriptors: Uint8Array;
}

/** Registers a service without resources; {@link Router.addService} is one. */
export type MountService = <D extends ServiceDefinition>(definition: D, handlers: ServiceHandlers<D>) => void;

/** Every inbound call passes here, over any transport. */
export interface Router {
  addService<D extends ServiceDefinition>(definition: D, handlers: ServiceHandlers<D>): void;
  addResourceService<R, D extends ServiceDefinition>(
    definition: D,
    handlers: ResourceHandlers<R, D>,
    resolve: ResourceResolver<R>,
  ): void;
  /** Forwards every method of a service the program has no definition of. Returns a function that undoes it. */
  addForwardedService(service: ForeignService, resolve: ResourceResolver<never>): () => void;
  /** Sets the reason why calls of a service that is not served here fail. Returns a function that undoes it. */
  explainAbsence(service: string, why: string): () => void;
  addInterceptor(interceptor: Interceptor): void;
  /** Runs every later call within `scope`; undefined runs them directly. */
  setScope(scope: CallScope | undefined): void;
  /** Full canonical names of the services that are answered here. */
  readonly serviceNames: readonly string[];
  /** Those of them that are forwarded. */
  readonly forwardedServices: readonly ForeignService[];
  /** Starts a call. Never throws: a refused call ends through its responder. */
  start(head: CallHead, responder: Responder): RequestSink;
  /** Number of running calls. */
  readonly inFlight: number;
  /** Refuses new calls, then settles when the running ones have ended, or after `graceMs`, when they are cancelled. */
  drain(graceMs: number): Promise<void>;
}
