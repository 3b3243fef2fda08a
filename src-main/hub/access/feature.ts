import type { ServiceDefinition } from '../../rpc/service.ts';
import type { HubHandlers } from './guarded.ts';

/** Some or all calls of one service, with their handlers. */
export type ServedCalls = readonly [definition: ServiceDefinition, handlers: HubHandlers<ServiceDefinition>];

/**
 * One feature of a hub: the calls that it answers, and how to stop it. Several features may answer calls of one
 * service.
 */
export interface Feature {
  readonly services: readonly ServedCalls[];
  /** Stops background work, and stores what is not stored yet. */
  readonly close?: () => void | Promise<void>;
}

/** Pairs calls with their handlers, type-checked against the service definition. */
export function serve<D extends ServiceDefinition>(definition: D, handlers: HubHandlers<D>): ServedCalls {
  return [definition, handlers];
}
