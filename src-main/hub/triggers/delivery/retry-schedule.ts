const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Wait after each failed attempt. When the attempt after the last wait fails, the delivery is dead. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  1 * HOUR,
  3 * HOUR,
  8 * HOUR,
  12 * HOUR,
];
/** Up to this fraction is added to a wait at random, so that simultaneous failures are not retried simultaneously. */
export const JITTER = 0.2;
/** Longest wait that a receiver can ask for. */
export const MAX_RETRY_AFTER_MS = 24 * HOUR;

/**
 * How long to wait before the next attempt; undefined if there is none any more.
 * @param failures number of failed attempts, from 1
 * @param random in [0, 1)
 * @param retryAfterMs what the receiver asked for
 */
export function retryDelayMs(failures: number, random: number, retryAfterMs = 0): number | undefined {
  const delay = RETRY_DELAYS_MS[failures - 1];
  if (delay === undefined) return undefined;
  return Math.max(Math.round(delay * (1 + JITTER * random)), Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
}

/** Reads a `Retry-After` header (RFC 9110, 10.2.3) as milliseconds from now; undefined if it is missing or invalid. */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  if (/^\d{1,10}$/.test(text)) return Number(text) * SECOND;
  // A date begins with a weekday. `Date.parse` would accept many other texts too.
  const at = /^[A-Z][a-z]{2}/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
