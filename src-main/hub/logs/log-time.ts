import type { Clock } from '../../base/clock.ts';
import { readSetting } from '../storage/settings.ts';
import type { Store } from '../storage/store.ts';

const SETTING = 'log_time';
const DAY_MS = 24 * 60 * 60 * 1_000;
/** The clock's own steps count for so much beyond the time that passed: a computer may have slept. */
const STEP_MS = DAY_MS;
/** The two clocks of a computer differ by less while nobody sets one of them. */
const SET_MS = 1_000;
/** A hub that was not running is taken to have been away for so long at most. */
const AWAY_MS = 7 * DAY_MS;

interface Reading {
  /** Milliseconds, like wall-clock time while nobody sets the clock. */
  readonly lived: number;
  /** Wall-clock milliseconds at that moment. */
  readonly wall: number;
}

/**
 * The time by which logs and captured data grow old, and limits and retries of notifications count. Follows the clock of the computer, but
 * never back, and never by more than passed and a day: a clock that is set
 * ahead by years, if only for a moment, must not cost a log. What was received
 * before a clock was set right is kept a little longer instead.
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

  /** Goes on from what the hub noted last. Throws where the store cannot be read, or the first note not be made. */
  static async open(store: Store, clock: Clock): Promise<LogTime> {
    const noted = readingOf(await readSetting(store.db, SETTING));
    const wall = clock.now();
    if (noted === undefined) {
      const first = new LogTime(store, clock, wall);
      await first.note();
      return first;
    }
    return new LogTime(store, clock, noted.lived + Math.min(Math.max(wall - noted.wall, 0), AWAY_MS));
  }

  /** Milliseconds; only grows. */
  now(): number {
    const { lived, wall, monotonic } = this.#last;
    const passed = this.#clock.monotonic() - monotonic;
    const stepped = this.#clock.now() - wall;
    // One clock counts whole milliseconds: to follow it at each call would run ahead by a part of one each time.
    if (Math.abs(stepped - passed) < SET_MS) return Math.floor(lived + passed);
    const now = lived + Math.min(Math.max(stepped, passed), passed + STEP_MS);
    this.#last = { lived: now, wall: this.#clock.now(), monotonic: this.#clock.monotonic() };
    // A hub that is killed before the next note would begin with an earlier time than it had.
    if (stepped < passed) this.note().catch(() => undefined);
    return Math.floor(now);
  }

  /** Notes it for the next start. Rejects as the store does. */
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
