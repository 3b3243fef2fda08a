import type { Method } from '../method.ts';

/** Largest request of a method that is open to all, inflated or not: an id with a key or a token, or the name of a service. */
export const MAX_OPEN_REQUEST_BYTES = 8 * 1024;

/** Whether any caller may call it from anywhere without authentication. */
export function isOpenToAll({ traits }: Method): boolean {
  return traits.withoutProof === 'anywhere';
}

/**
 * Whether any program of this computer may call it without proof if the configuration has no `auth` block: the methods
 * that a machine of the public ecosystem leaves open there. A method of ours without that option is closed, because it
 * may show secrets (configurations, logs, keys) or run programs (named in a configuration).
 */
export function isOpenHere({ traits, requestType }: Method): boolean {
  // Includes methods that a module serves for its resources, and unknown methods, whose callers should learn that.
  if (requestType === undefined) return traits.withoutProof !== 'never';
  return traits.withoutProof === 'on-this-computer' || traits.withoutProof === 'anywhere';
}
