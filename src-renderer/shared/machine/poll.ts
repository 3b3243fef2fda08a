import type { MessageOf, MethodDefinition } from '../../link/client.ts';
import { requestFor, type RequestFields } from './resource.ts';

/** What to poll: a resource, a method, how often. Made by {@link poll}. */
export interface WatchRequest {
  /** Chosen by the caller, unique among the requests of a stream; the answers carry it. */
  readonly id: string;
  /** Full name. */
  readonly resource: string;
  /** A method of the generated definition of its API that only reads. */
  readonly method: MethodDefinition;
  /** The encoded request message. */
  readonly request: Uint8Array;
  readonly frequencyHz: number;
}

/** One answer of a poll: a value or an error. */
export interface WatchReading {
  /** The id of the request. */
  readonly id: string;
  readonly method: MethodDefinition;
  /** The response message of the method, for {@link valueOf}; undefined if there is none. */
  readonly value: unknown;
  readonly error: string;
  /** When the machine got the answer, ms of its clock; speeds are computed from it. */
  readonly machineAt: number;
  /** How old the value was when it arrived, ms. */
  readonly ageMs: number;
  /** Answers that the machine dropped before this one, because this page read too slowly. */
  readonly skipped: number;
}

/** Makes a request to poll. @param wanted its `request` has all fields but the name of the resource */
export function poll<M extends MethodDefinition>(
  wanted: Omit<WatchRequest, 'method' | 'request'> & { readonly method: M; readonly request: RequestFields<M> },
): WatchRequest {
  const { method, resource, request } = wanted;
  return { ...wanted, request: method.requestType.encode(requestFor(method, resource, request)).finish() };
}

/** The value of a reading, if it is an answer of this method. */
export function valueOf<M extends MethodDefinition>(
  reading: Pick<WatchReading, 'method' | 'value'> | undefined,
  method: M,
): MessageOf<M['responseType']> | undefined {
  return reading?.method === method ? (reading.value as MessageOf<M['responseType']> | undefined) : undefined;
}
