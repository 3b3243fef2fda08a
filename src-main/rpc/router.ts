import type { CallScope, ServerCall, Connection, Interceptor } from './call.ts';
import type { MetadataRecord } from './metadata.ts';
import type { Method } from './method.ts';
import type { ResourceHandlers, ServiceDefinition, ServiceHandlers } from './service.ts';
import type { ArmatureError } from '../base/errors.ts';
import type { Status } from '../base/status.ts';

/** The head of a call, as a transport read it. */
export interface CallHead {
  /** Path as the caller wrote it. */
  readonly path: string;
  /** Headers of the request, those of the transport (`:path`, `content-type`) among them. */
  readonly metadata: Readonly<Record<string, string | string[] | undefined>>;
  /** Time the caller gives the call, milliseconds from now. */
  readonly timeoutMs: number | undefined;
  readonly connection: Connection;
}

/** The way back to one caller; implemented by each transport. Nothing here throws; what follows the end is ignored. */
export interface Responder {
  /** Sends the response headers. Called at most once, before the first message, and not at all where there are none. */
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

/** Where a transport puts what the caller sends. Calls after the end are ignored. */
export interface RequestSink {
  /** Bytes of the largest request that is taken, where that is less than the transport takes anyway. */
  readonly maxRequestBytes?: number | undefined;
  /**
   * It is not known yet whether the caller may call: nothing is read from it, or inflated, until this settles. Never
   * rejects.
   */
  readonly admission?: Promise<void> | undefined;
  /** One whole message. A promise means: read no more until it settles. */
  message(bytes: Uint8Array): Promise<void> | undefined;
  /** The caller has sent its last message. */
  halfClose(): void;
  /**
   * The caller cancelled, or its connection is gone. An error instead of a
   * reason means that the request could not be read: the call ends with it.
   */
  cancel(reason: string | ArmatureError): void;
}

/** Takes a call's bytes untouched; used for resources that live in another process. */
export interface Forwarder {
  /**
   * @param path the method as the caller spelled it; `call.method.path` is the canonical one
   * @param responder the way back; its `end` ends the call
   */
  start(call: ServerCall, path: string, responder: Responder): RequestSink;
}

/** What a resource name leads to: an instance in this process, or a way to forward. */
export type ResourceTarget<R> =
  { readonly kind: 'local'; readonly resource: R } | { readonly kind: 'forward'; readonly forwarder: Forwarder };

/**
 * Finds the target of a name for a caller. Throws `resource.not_found`, `resource.not_ready`
 * or `resource.disabled`. Its cost must not depend on the number of resources.
 */
export type ResourceResolver<R> = (name: string, call: Pick<ServerCall, 'principal'>) => ResourceTarget<R>;

/** A service that another process implements: the program has no definition of it and passes its calls on. */
export interface ForeignService {
  /** Full canonical proto name. */
  readonly fullName: string;
  readonly methods: readonly Method[];
  /** A serialized `google.protobuf.FileDescriptorSet` with the service and all it needs: reflection hands it out. */
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
  /** Says why the calls of a service that is not served here find nothing. Returns a function that undoes it. */
  explainAbsence(service: string, why: string): () => void;
  addInterceptor(interceptor: Interceptor): void;
  /** Runs every call from now on within `scope`; undefined runs them as they are. */
  setScope(scope: CallScope | undefined): void;
  /** Full canonical names of the services that are answered here. */
  readonly serviceNames: readonly string[];
  /** Those of them that are forwarded. */
  readonly forwardedServices: readonly ForeignService[];
  /** Starts a call. Never throws: a refused call ends through its responder. */
  start(head: CallHead, responder: Responder): RequestSink;
  /** Calls under way. */
  readonly inFlight: number;
  /** Refuses new calls, then settles when the running ones ended or `graceMs` passed (and they were cancelled). */
  drain(graceMs: number): Promise<void>;
}
