import type { Clock } from '../../../base/clock.ts';

/** Most that the time between two runs adds, milliseconds. */
const LONGEST_STOP_MS = 86_400_000;

/** The age of the log at its last save, and the wall-clock time at that moment. */
export interface KnownAge {
  readonly age: number;
  readonly wall: number;
}

/**
 * The log's own time: its age in milliseconds, which never decreases. Within a run it is measured, so setting the clock
 * changes nothing. The time between two runs is known only from the wall clock, so it counts for a day at most.
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
