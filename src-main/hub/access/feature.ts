import type { ServiceDefinition } from '../../rpc/service.ts';
import type { HubHandlers } from './guarded.ts';

/** Some or all calls of one service, and what answers them. */
export type ServedCalls = readonly [definition: ServiceDefinition, handlers: HubHandlers<ServiceDefinition>];

/** One thing that a hub does: the calls that it answers, and how it ends. Several may answer calls of one service. */
export interface Feature {
  readonly services: readonly ServedCalls[];
  /** Ends what runs by itself, and stores what is not stored yet. */
  readonly close?: () => void | Promise<void>;
}

/** Calls with their handlers, checked against the service that they are of. */
export function serve<D extends ServiceDefinition>(definition: D, handlers: HubHandlers<D>): ServedCalls {
  return [definition, handlers];
}
