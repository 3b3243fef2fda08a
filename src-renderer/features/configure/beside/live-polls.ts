import { poll, type WatchRequest } from '../../../shared/machine/poll.ts';
import type { ResourceView } from '../../../shared/machine/machine-view.ts';
import type { Glance } from '../../control/glance.ts';

/** Slow: a glance beside the form, not a plot. */
const frequencyHz = 2;

export interface LivePoll extends Glance {
  /** How it is asked of one resource. */
  readonly asked: WatchRequest;
}

/** What to poll of a resource for a glance at it; nothing while it does not run. */
export function livePolls({ fullName, state }: ResourceView, glances: readonly Glance[]): readonly LivePoll[] {
  if (state !== 'ready') return [];
  return glances.map((glance) => {
    const { method, request } = glance;
    const id = `${fullName} ${method.name} ${JSON.stringify(request)}`;
    return { ...glance, asked: poll({ id, resource: fullName, method, request, frequencyHz }) };
  });
}
