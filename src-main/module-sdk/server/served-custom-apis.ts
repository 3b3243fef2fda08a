import { findApi } from '../../apis/all.ts';
import type { ForeignService } from '../../rpc/router.ts';
import type { ResourceHandlers, ServiceDefinition } from '../../rpc/service.ts';

/** How a custom API is served. */
export interface ServedCustomApi {
  readonly service: ServiceDefinition;
  readonly handlers: ResourceHandlers<object, ServiceDefinition>;
  /** The service as reflection describes it. */
  readonly reflected: ForeignService;
}

/** By custom API. Kept separately, so that the public type needs none of these types. */
export const servedCustomApis = new WeakMap<object, ServedCustomApi>();

/** How an API is served: a custom API if it is one, otherwise one of the program; undefined if it is neither. */
export function servedApi(
  api: string,
  custom: object | undefined,
): Pick<ServedCustomApi, 'service' | 'handlers'> | undefined {
  return custom === undefined ? findApi(api) : servedCustomApis.get(custom);
}
