import type { Clock } from '../../../base/clock.ts';
import { readSetting } from '../../storage/settings.ts';
import type { Store } from '../../storage/store.ts';
import type { Queries, WriteTransaction } from '../../storage/tables.ts';

const NAME = 'access_mark';

/**
 * Says that keys, secrets or what they may do have changed. A command of
 * `armature hub` changes them behind the back of the hub that runs; that one
 * looks at this number a few times a second.
 */
export async function noteAccessChange(tx: WriteTransaction): Promise<void> {
  const value = String((await readAccessMark(tx)) + 1);
  await tx
    .insertInto('settings')
    .values({ name: NAME, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}

/** 0 for a store in which nothing has changed yet. */
export async function readAccessMark(db: Queries): Promise<number> {
  return Number((await readSetting(db, NAME)) ?? 0);
}

/** The trace of a store is a hint: this is how late it may be. */
const ASK_MS = 5_000;

/** Follows the number for one reader: while nothing at all is stored, looking again hardly ever asks the store. */
export class AccessMark {
  readonly #store: Store;
  readonly #clock: Clock;
  #trace: string | undefined;
  #askedAt = -Infinity;
  #value = 0;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  async look(): Promise<number> {
    const now = this.#clock.monotonic();
    // Before the number: a change in between is seen the next time.
    const trace = this.#store.trace();
    if (trace === undefined || trace !== this.#trace || now - this.#askedAt >= ASK_MS) {
      this.#value = await readAccessMark(this.#store.db);
      this.#trace = trace;
      this.#askedAt = now;
    }
    return this.#value;
  }
}
