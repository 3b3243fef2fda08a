export interface BackoffOptions {
  readonly firstMs: number;
  readonly maxMs: number;
  /** Each delay is the last times this. */
  readonly factor: number;
  /** Part of a delay, 0 to 1, that is drawn at random so that retries do not fall together. */
  readonly jitter: number;
}

export const defaultBackoff: BackoffOptions = { firstMs: 1_000, maxMs: 60_000, factor: 2, jitter: 0.2 };

/**
 * Delay before the next try.
 * @param attempt how many tries have failed, from 1
 * @param random a number in [0, 1)
 */
export function backoffDelayMs(options: BackoffOptions, attempt: number, random: number): number {
  const full = Math.min(options.maxMs, options.firstMs * options.factor ** (attempt - 1));
  return Math.round(full * (1 - options.jitter * random));
}
