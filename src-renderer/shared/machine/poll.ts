import type { MessageOf, MethodDefinition } from '../../link/client.ts';
import { addressed, type Asked } from './resource.ts';

/** One thing to poll: a resource, what to ask it, how often. Made by {@link poll}. */
export interface WatchRequest {
  /** Chosen by the asker, unique among what is asked together; the answers carry it. */
  readonly id: string;
  /** Full name. */
  readonly resource: string;
  /** Of the generated definition of its API; reads only. */
  readonly method: MethodDefinition;
  /** The message it is asked with. */
  readonly request: Uint8Array;
  readonly frequencyHz: number;
}

/** One answer of a poll: a value, or why there is none. */
export interface WatchReading {
  /** Of what was asked. */
  readonly id: string;
  readonly method: MethodDefinition;
  /** The response message of the method, for {@link valueOf}; undefined where there is none. */
  readonly value: unknown;
  readonly error: string;
  /** When the machine had the answer, ms of its clock: what speeds are computed from. */
  readonly machineAt: number;
  /** How old the value was when it came in, ms. */
  readonly ageMs: number;
  /** Answers the machine left out before this one, because this page read too slowly. */
  readonly skipped: number;
}

/** @param wanted `request` is what is asked beside the name of the resource */
export function poll<M extends MethodDefinition>(
  wanted: Omit<WatchRequest, 'method' | 'request'> & { readonly method: M; readonly request: Asked<M> },
): WatchRequest {
  const { method, resource, request } = wanted;
  return { ...wanted, request: method.requestType.encode(addressed(method, resource, request)).finish() };
}

/** What a reading says, where it is an answer of this method. */
export function valueOf<M extends MethodDefinition>(
  reading: Pick<WatchReading, 'method' | 'value'> | undefined,
  method: M,
): MessageOf<M['responseType']> | undefined {
  return reading?.method === method ? (reading.value as MessageOf<M['responseType']> | undefined) : undefined;
}
