import { methodTraits } from '../../../proto/method-traits.ts';
import { answerShapes } from '../../../proto/value-shapes.ts';
import type { Method } from '../method.ts';
import type { Forwarder, ResourceResolver } from '../router.ts';
import type { MethodDefinition } from '../service.ts';

/** A handler of any shape: the route knows what to pass and what comes back. */
export type AnyHandler = (...parameters: unknown[]) => unknown;

/** The entry of the router for one method. */
export interface Route {
  readonly method: Method;
  /** Undefined for methods that are only forwarded, and for unknown ones. */
  readonly definition: MethodDefinition | undefined;
  /** Undefined where the service does not implement the method. */
  readonly handler: AnyHandler | undefined;
  /** Undefined for services that have no resources. */
  readonly resolve: ResourceResolver<unknown> | undefined;
  /** Why the method cannot be called at all. */
  readonly refusal: string | undefined;
}

/** A method as the router names it. */
export function methodOf(service: string, definition: MethodDefinition, hasResource: boolean): Method {
  return {
    path: `/${service}/${definition.name}`,
    service,
    name: definition.name,
    requestStream: definition.requestStream,
    responseStream: definition.responseStream,
    traits: methodTraits(service, definition.name),
    hasResource,
    requestType: definition.requestType,
    answerShape: answerShapes.get(definition.responseType),
  };
}

/** The route of a method that only another process knows; unary or streaming shows during the call. */
export function forwardedRoute(canonicalPath: string, forwarder: Forwarder): Route {
  const { method, ...route } = unknownRoute(canonicalPath, '');
  return {
    ...route,
    method: { ...method, requestStream: true, responseStream: true },
    refusal: undefined,
    resolve: () => ({ kind: 'forward', forwarder }),
  };
}

/** The route of an unknown path: the access check comes before the answer that it is unknown. */
export function unknownRoute(canonicalPath: string, refusal: string): Route {
  const [, service = '', name = ''] = canonicalPath.split('/');
  return {
    method: {
      path: canonicalPath,
      service,
      name,
      requestStream: false,
      responseStream: false,
      traits: methodTraits(service, name),
      hasResource: false,
      requestType: undefined,
      answerShape: undefined,
    },
    definition: undefined,
    handler: undefined,
    resolve: undefined,
    refusal,
  };
}
