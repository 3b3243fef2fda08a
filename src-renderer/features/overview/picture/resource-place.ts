import type { RouteLocationRaw } from 'vue-router';
import { type Resource, Resource_State } from '../../../../proto/gen/core/status/v1/status.ts';
import { shortName } from '../../../shared/machine/machine-view.ts';

/**
 * Where a click on a resource leads: to its card, or to its configuration where it failed.
 * @param isAway the machine is offline, so that there are no cards
 */
export function resourcePlace({ name, state }: Resource, isAway: boolean): RouteLocationRaw {
  return isAway || state === Resource_State.FAILED
    ? { name: 'configure-resource', params: { name: shortName(name) } }
    : { name: 'control', query: { resource: shortName(name) } };
}
