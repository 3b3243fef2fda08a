import { type Remote, Remote_State } from '../../../proto/gen/core/status/v1/status.ts';
import type { Tone } from './rpc/status-merge.ts';

/** States of a connection to another machine, as the message keys name them. */
export type RemoteStateName = 'connecting' | 'connected' | 'failed' | 'disabled';

const known: Readonly<Record<number, readonly [RemoteStateName, Tone]>> = {
  [Remote_State.CONNECTED]: ['connected', 'ok'],
  [Remote_State.FAILED]: ['failed', 'bad'],
  [Remote_State.DISABLED]: ['disabled', 'off'],
};

export function remoteStateName(state: Remote_State): RemoteStateName {
  return known[state]?.[0] ?? 'connecting';
}

export function remoteTone({ state }: Remote): Tone {
  return known[state]?.[1] ?? 'warn';
}
