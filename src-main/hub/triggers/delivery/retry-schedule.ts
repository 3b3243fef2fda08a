const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Waits after each failed try; after as many tries and one more a delivery is dead. */
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
/** Up to this part of a wait is added at random, so that what failed together is not tried together. */
export const JITTER = 0.2;
/** A receiver that asks for more waits no longer than this. */
export const LONGEST_RETRY_AFTER_MS = 24 * HOUR;

/**
 * How long to wait before the next try; undefined where there is none any more.
 * @param failures how many tries have failed, from 1
 * @param random in [0, 1)
 * @param retryAfterMs what the receiver asked for
 */
export function retryDelayMs(failures: number, random: number, retryAfterMs = 0): number | undefined {
  const delay = RETRY_DELAYS_MS[failures - 1];
  if (delay === undefined) return undefined;
  return Math.max(Math.round(delay * (1 + JITTER * random)), Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS));
}

/** A `Retry-After` header (RFC 9110, 10.2.3) in milliseconds from now; undefined where it says nothing usable. */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  if (/^\d{1,10}$/.test(text)) return Number(text) * SECOND;
  // A date begins with the name of its day; `Date.parse` would take many other texts too.
  const at = /^[A-Z][a-z]{2}/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
