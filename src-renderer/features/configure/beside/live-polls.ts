import { type Resource, Resource_State } from '../../../../proto/gen/core/status/v1/status.ts';
import { poll, type WatchRequest } from '../../../shared/machine/poll.ts';
import type { Glance } from '../../control/values/glance.ts';

/** Slow, because the values are only shown beside the form and not plotted. */
const frequencyHz = 2;

export interface LivePoll extends Glance {
  /** The poll of one resource for this value. */
  readonly asked: WatchRequest;
}

/** The polls for the live values of a resource; none while it does not run. */
export function livePolls({ name: fullName, state }: Resource, glances: readonly Glance[]): readonly LivePoll[] {
  if (state !== Resource_State.READY) return [];
  return glances.map((glance) => {
    const { method, request } = glance;
    const id = `${fullName} ${method.name} ${JSON.stringify(request)}`;
    return { ...glance, asked: poll({ id, resource: fullName, method, request, frequencyHz }) };
  });
}
