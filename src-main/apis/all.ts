import type { ResourceApi } from './api.ts';
import { definitions } from './gen/definitions.ts';
import type { Resource } from './resource.ts';
import type { ResourceResolver, Router } from '../rpc/router.ts';
import type { ServiceDefinition } from '../rpc/service.ts';

/** An API whose instances are known only by its name. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- handlers take narrower resources; the name of the API keeps them apart
export type AnyApi = ResourceApi<any, ServiceDefinition>;

/** Every built-in API. */
export const builtinApis: readonly AnyApi[] = definitions;

/** Serves every built-in API on the router; `resolverFor` gives what finds the instances of one. */
export function mountBuiltinApis(router: Router, resolverFor: (api: string) => ResourceResolver<Resource>): void {
  for (const { api, service, handlers } of builtinApis) {
    router.addResourceService(service, handlers, resolverFor(api));
  }
}

/** The API of a triplet in our spelling, or undefined for one that only modules know. */
export function findApi(api: string): AnyApi | undefined {
  return builtinApis.find((candidate) => candidate.api === api);
}
