import type { Clock } from '../../../base/clock.ts';

/** Longest that the time between two runs counts for, milliseconds. */
const LONGEST_STOP_MS = 86_400_000;

/** The age of the log at the last store, and the wall-clock time then. */
export interface KnownAge {
  readonly age: number;
  readonly wall: number;
}

/**
 * The log's own time: its age in milliseconds, which never decreases. Within a run it is measured, so that setting the
 * clock changes nothing. Only the wall clock shows the time between two runs: that counts for a day at most.
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
