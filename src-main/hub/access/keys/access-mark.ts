import type { Clock } from '../../../base/clock.ts';
import { readSetting } from '../../storage/settings.ts';
import type { Store } from '../../storage/store.ts';
import type { Queries, WriteTransaction } from '../../storage/tables.ts';
import { holderKey, holderOfKey, type Holder } from './holder.ts';

const NAME = 'access_mark';

/** The last change of keys, secrets or what they may do. */
export interface AccessChange {
  /** One more with each change; 0 for a store in which nothing has changed yet. */
  readonly mark: number;
  /** The only one that it is about; undefined where it may be about more. */
  readonly holder: Holder | undefined;
}

/**
 * Says that keys, secrets or what they may do have changed. A command of `armature hub` changes them behind the back of
 * the hub that runs, and so does another hub of the same store: each looks at the mark a few times a second.
 * @param holder the only one that the change is about
 */
export async function noteAccessChange(tx: WriteTransaction, holder?: Holder): Promise<void> {
  const mark = (await readAccessMark(tx)) + 1;
  const value = holder === undefined ? String(mark) : `${mark} ${holderKey(holder)}`;
  await tx
    .insertInto('settings')
    .values({ name: NAME, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}

export async function readAccessChange(db: Queries): Promise<AccessChange> {
  const value = (await readSetting(db, NAME)) ?? '0';
  const space = value.indexOf(' ');
  if (space < 0) return { mark: Number(value), holder: undefined };
  return { mark: Number(value.slice(0, space)), holder: holderOfKey(value.slice(space + 1)) };
}

/** Only its number. */
export async function readAccessMark(db: Queries): Promise<number> {
  return (await readAccessChange(db)).mark;
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
