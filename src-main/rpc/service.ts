import type { MessageType } from './method.ts';
import type { ServerCall } from './call.ts';

/* eslint-disable @typescript-eslint/no-explicit-any -- the variance of generated definitions allows nothing narrower */
export interface MethodDefinition {
  readonly name: string;
  readonly requestType: MessageType<any>;
  readonly requestStream: boolean;
  readonly responseType: MessageType<any>;
  readonly responseStream: boolean;
}

/** A generated service definition (ts-proto, generic definitions). */
export interface ServiceDefinition {
  readonly name: string;
  /** Full proto name in our own spelling, for example `core.component.motor.v1.MotorService`. */
  readonly fullName: string;
  readonly methods: Readonly<Record<string, MethodDefinition>>;
}

export type RequestOf<M extends MethodDefinition> = M['requestType'] extends MessageType<infer T> ? T : never;
export type ResponseOf<M extends MethodDefinition> = M['responseType'] extends MessageType<infer T> ? T : never;
/* eslint-enable @typescript-eslint/no-explicit-any */

type Requests<M extends MethodDefinition> = M['requestStream'] extends true
  ? AsyncIterable<RequestOf<M>>
  : RequestOf<M>;

type Responses<M extends MethodDefinition> = M['responseStream'] extends true
  ? AsyncIterable<ResponseOf<M>>
  : ResponseOf<M> | Promise<ResponseOf<M>>;

/**
 * Implementation of a service that has no resources. A missing method answers
 * Unimplemented. A handler that waits must end when `call.signal` aborts: the
 * caller has its answer by then, but the call counts until the handler returns.
 */
export type ServiceHandlers<D extends ServiceDefinition> = {
  readonly [K in keyof D['methods']]?: (
    request: Requests<D['methods'][K]>,
    call: ServerCall,
  ) => Responses<D['methods'][K]>;
};

/** Implementation of a resource API: the same, with the resource that the request names as the first parameter. */
export type ResourceHandlers<R, D extends ServiceDefinition> = {
  readonly [K in keyof D['methods']]?: (
    resource: R,
    request: Requests<D['methods'][K]>,
    call: ServerCall,
  ) => Responses<D['methods'][K]>;
};
