import type { Clock } from '../../base/clock.ts';
import { readSetting } from '../storage/settings.ts';
import type { Store } from '../storage/store.ts';

const SETTING = 'log_time';
const DAY_MS = 24 * 60 * 60 * 1_000;
/** How much a forward step of the wall clock counts at most: a computer may have slept. */
const MAX_STEP_MS = DAY_MS;
/** If the wall clock and the monotonic clock differ by more than this, somebody has set the wall clock. */
const MAX_DRIFT_MS = 1_000;
/** How much the time between two runs of the hub counts at most. */
const MAX_DOWNTIME_MS = 7 * DAY_MS;

interface Reading {
  /** Log time in milliseconds: equal to wall-clock time until somebody sets the clock. */
  readonly lived: number;
  /** Wall-clock milliseconds at that moment. */
  readonly wall: number;
}

/**
 * Clock for the age of logs and captured data, and for the limits and retries of notifications. It follows the
 * computer's clock, but never goes back, and a step of that clock advances it by one day at most. So a clock that is
 * set ahead by years, even for a moment, deletes no logs. Entries that were received before the clock was
 * corrected are kept a little longer instead.
 */
export class LogTime {
  readonly #store: Store;
  readonly #clock: Clock;
  #last: Reading & { readonly monotonic: number };

  private constructor(store: Store, clock: Clock, lived: number) {
    this.#store = store;
    this.#clock = clock;
    this.#last = { lived, wall: clock.now(), monotonic: clock.monotonic() };
  }

  /** Continues from the time that the hub stored last. Throws if the store cannot be read or, at first, written. */
  static async open(store: Store, clock: Clock): Promise<LogTime> {
    const noted = readingOf(await readSetting(store.db, SETTING));
    const wall = clock.now();
    if (noted === undefined) {
      const first = new LogTime(store, clock, wall);
      await first.note();
      return first;
    }
    return new LogTime(store, clock, noted.lived + Math.min(Math.max(wall - noted.wall, 0), MAX_DOWNTIME_MS));
  }

  /** Milliseconds; never goes back. */
  now(): number {
    const { lived, wall, monotonic } = this.#last;
    const passed = this.#clock.monotonic() - monotonic;
    const stepped = this.#clock.now() - wall;
    // The wall clock counts whole milliseconds: to follow it at each call would gain a fraction of one each time.
    if (Math.abs(stepped - passed) < MAX_DRIFT_MS) return Math.floor(lived + passed);
    const now = lived + Math.min(Math.max(stepped, passed), passed + MAX_STEP_MS);
    this.#last = { lived: now, wall: this.#clock.now(), monotonic: this.#clock.monotonic() };
    // Stored at once: a hub that is killed before the next regular save would start from a time too early.
    if (stepped < passed) this.note().catch(() => undefined);
    return Math.floor(now);
  }

  /** Stores the time for the next start. Rejects if the store does. */
  async note(): Promise<void> {
    const value = JSON.stringify({ lived: this.now(), wall: this.#clock.now() } satisfies Reading);
    await this.#store.transaction((tx) =>
      tx
        .insertInto('settings')
        .values({ name: SETTING, value })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
        .execute(),
    );
  }
}

function readingOf(text: string | undefined): Reading | undefined {
  if (text === undefined) return undefined;
  return JSON.parse(text) as Reading; // written by `note`
}
