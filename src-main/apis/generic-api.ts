import { defineApi } from './api.ts';
import { commonHandlers, componentHandlers } from './common-handlers.ts';
import type { Generic } from './generic.ts';
import { RemoteResource } from './remote-resource.ts';
import { GenericServiceDefinition as ComponentDefinition } from '../../proto/gen/core/component/generic/v1/generic.ts';
import { GenericServiceDefinition as ServiceDefinition } from '../../proto/gen/core/service/generic/v1/generic.ts';

/** How generic components are served. */
export const genericComponentApi = defineApi<Generic, typeof ComponentDefinition>({
  api: 'core:component:generic',
  service: ComponentDefinition,
  isActuator: false,
  client: (place) => new RemoteResource(ComponentDefinition, place),
  handlers: componentHandlers,
});

/** How generic services are served. */
export const genericServiceApi = defineApi<Generic, typeof ServiceDefinition>({
  api: 'core:service:generic',
  service: ServiceDefinition,
  isActuator: false,
  client: (place) => new RemoteResource(ServiceDefinition, place),
  handlers: commonHandlers,
});
