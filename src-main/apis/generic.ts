import { defineApi, type ResourceApi } from './api.ts';
import type { Resource } from './resource.ts';
import { GenericServiceDefinition as ComponentDefinition } from '../../proto/gen/core/component/generic/v1/generic.ts';
import { GenericServiceDefinition as ServiceDefinition } from '../../proto/gen/core/service/generic/v1/generic.ts';

/** A resource that fits no other API: it has DoCommand alone. */
export type Generic = Resource;

/** @internal */
export const genericComponentApi: ResourceApi<Generic, typeof ComponentDefinition> = defineApi({
  api: 'core:component:generic',
  service: ComponentDefinition,
  methods: {},
});

/** @internal */
export const genericServiceApi: ResourceApi<Generic, typeof ServiceDefinition> = defineApi({
  api: 'core:service:generic',
  service: ServiceDefinition,
  methods: {},
});
