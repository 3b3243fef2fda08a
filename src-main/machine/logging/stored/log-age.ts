import type { Clock } from '../../../base/clock.ts';

/** Longest that the time between two runs counts for, milliseconds. */
const LONGEST_STOP_MS = 86_400_000;

/** How old the log was when something was stored last, and what the clock of the computer said then. */
export interface KnownAge {
  readonly age: number;
  readonly wall: number;
}

/**
 * The log's own time: how long it has gone on, milliseconds, never less than before. Within a run it is measured, so that
 * a clock that is set changes nothing. What lay between two runs only that clock can say: it counts for a day at most.
 */
export class LogAge {
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly #base: number;
  readonly #since: number;

  constructor(known: KnownAge | undefined, clock: Pick<Clock, 'now' | 'monotonic'>) {
    this.#clock = clock;
    this.#since = clock.monotonic();
    const stop = known === undefined ? 0 : clock.now() - known.wall;
    this.#base = (known?.age ?? 0) + Math.min(Math.max(stop, 0), LONGEST_STOP_MS);
  }

  now(): KnownAge {
    return { age: this.#base + this.#clock.monotonic() - this.#since, wall: this.#clock.now() };
  }
}
