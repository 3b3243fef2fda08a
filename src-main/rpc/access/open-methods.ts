import type { Method } from '../method.ts';

/** Largest request of a method that is open to all, inflated or not: an id with a key or a token, or the name of a service. */
export const MAX_OPEN_REQUEST_BYTES = 8 * 1024;

/** Whether it answers any caller, from anywhere, without authentication. */
export function isOpenToAll({ traits }: Method): boolean {
  return traits.withoutProof === 'anywhere';
}

/**
 * Whether any program of this computer may call it without proof, where the configuration has no `auth` block: what a
 * machine of the public ecosystem leaves open there. A method of ours that does not say so is closed, for it may show
 * secrets (configurations, logs, keys) or run programs (a configuration names them).
 */
export function isOpenHere({ traits, requestType }: Method): boolean {
  // What a module serves for its resources, and what nobody serves: its caller is told so.
  if (requestType === undefined) return traits.withoutProof !== 'never';
  return traits.withoutProof === 'on-this-computer' || traits.withoutProof === 'anywhere';
}
