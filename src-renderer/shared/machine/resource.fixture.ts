import { Resource, Resource_State } from '../../../proto/gen/core/status/v1/status.ts';

/** A motor that is ready, for tests; `over` replaces its fields. @param name its short name */
export function resourceOf(name: string, over: Partial<Omit<Resource, 'name'>> = {}): Resource {
  const { api = 'core:component:motor' } = over;
  const model = 'core:builtin:gpio';
  return { ...Resource.fromPartial({ state: Resource_State.READY }), model, ...over, api, name: `${api}/${name}` };
}
