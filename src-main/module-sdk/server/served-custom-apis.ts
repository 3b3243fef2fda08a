import { findApi } from '../../apis/all.ts';
import type { ForeignService } from '../../rpc/router.ts';
import type { ResourceHandlers, ServiceDefinition } from '../../rpc/service.ts';

/** How an API of an author's own is served. */
export interface ServedCustomApi {
  readonly service: ServiceDefinition;
  readonly handlers: ResourceHandlers<object, ServiceDefinition>;
  /** The service as reflection describes it. */
  readonly reflected: ForeignService;
}

/** By API of an author. Kept apart from it, so that what authors see needs none of the types behind it. */
export const servedCustomApis = new WeakMap<object, ServedCustomApi>();

/** How an API is served: the author's own where it is one, else the program's; undefined where neither is. */
export function servedApi(
  api: string,
  custom: object | undefined,
): Pick<ServedCustomApi, 'service' | 'handlers'> | undefined {
  return custom === undefined ? findApi(api) : servedCustomApis.get(custom);
}
