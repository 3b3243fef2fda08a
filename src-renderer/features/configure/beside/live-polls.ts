import { type Resource, Resource_State } from '../../../../proto/gen/core/status/v1/status.ts';
import { poll, type WatchRequest } from '../../../shared/machine/poll.ts';
import type { Glance } from '../../control/values/glance.ts';

/** Slow: a glance beside the form, not a plot. */
const frequencyHz = 2;

export interface LivePoll extends Glance {
  /** How it is asked of one resource. */
  readonly asked: WatchRequest;
}

/** What to poll of a resource for a glance at it; nothing while it does not run. */
export function livePolls({ name: fullName, state }: Resource, glances: readonly Glance[]): readonly LivePoll[] {
  if (state !== Resource_State.READY) return [];
  return glances.map((glance) => {
    const { method, request } = glance;
    const id = `${fullName} ${method.name} ${JSON.stringify(request)}`;
    return { ...glance, asked: poll({ id, resource: fullName, method, request, frequencyHz }) };
  });
}
