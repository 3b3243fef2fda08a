import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';

/** Why a caller was refused. */
export const refusalReasons = [
  'no-proof',
  'bad-token',
  'bad-credentials',
  'insecure-credentials',
  'rate-limited',
  'not-permitted',
  'foreign-host',
  'foreign-origin',
] as const;
export type RefusalReason = (typeof refusalReasons)[number];

/** At most one log line per reason and address in this time; the next one includes the number of refusals. */
const QUIET_MS = 10_000;
const MAX_TRACKED = 1_000;

/** Counts every refusal, and logs them without letting refused callers fill the log. */
export class RefusalLog {
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #counts = new Map<RefusalReason, number>();
  readonly #quiet = new Map<string, { until: number; suppressed: number }>();

  constructor(logger: Logger, clock: Clock) {
    this.#logger = logger;
    this.#clock = clock;
  }

  count(reason: RefusalReason): number {
    return this.#counts.get(reason) ?? 0;
  }

  /** Refusals so far, by reason. */
  get counts(): Readonly<Record<RefusalReason, number>> {
    return Object.fromEntries(refusalReasons.map((reason) => [reason, this.count(reason)])) as Record<
      RefusalReason,
      number
    >;
  }

  /** @param what method path, or the requested part of the web page */
  record(reason: RefusalReason, remoteAddress: string, what: string, message: string): void {
    this.#counts.set(reason, this.count(reason) + 1);
    const key = `${reason} ${remoteAddress}`;
    const now = this.#clock.monotonic();
    const quiet = this.#quiet.get(key);
    if (quiet !== undefined && now < quiet.until) {
      quiet.suppressed += 1;
      return;
    }
    if (this.#quiet.size >= MAX_TRACKED) this.#quiet.clear();
    this.#quiet.set(key, { until: now + QUIET_MS, suppressed: 0 });
    this.#logger.warn(`refused ${what} from ${remoteAddress}: ${message}`, {
      reason,
      remoteAddress,
      suppressed: quiet?.suppressed ?? 0,
    });
  }
}
