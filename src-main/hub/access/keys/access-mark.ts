import type { Clock } from '../../../base/clock.ts';
import { readSetting } from '../../storage/settings.ts';
import type { Store } from '../../storage/store.ts';
import type { Queries, WriteTransaction } from '../../storage/tables.ts';
import { holderKey, parseHolderKey, type Holder } from './holder.ts';

const NAME = 'access_mark';

/** The last change of keys, secrets or what they may do. */
export interface AccessChange {
  /** Goes up by one with each change; 0 before the first. */
  readonly mark: number;
  /** The only holder that changed; undefined if there may be several. */
  readonly holder: Holder | undefined;
}

/**
 * Records that keys, secrets or rights have changed. Commands of `armature hub` and other hubs of the same store change
 * them without the running hub noticing, so each hub checks the mark a few times a second.
 * @param holder the only holder that changed
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
  return { mark: Number(value.slice(0, space)), holder: parseHolderKey(value.slice(space + 1)) };
}

/** The number of the last change. */
export async function readAccessMark(db: Queries): Promise<number> {
  return (await readAccessChange(db)).mark;
}

/** The trace of a store may miss a change, so the store is read at least this often. */
const MAX_TRACE_AGE_MS = 5_000;

/** Follows the mark for one reader: while the store's trace does not change, it rarely queries the store. */
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
    // Read the trace before the mark: a change in between is then seen next time.
    const trace = this.#store.trace();
    if (trace === undefined || trace !== this.#trace || now - this.#askedAt >= MAX_TRACE_AGE_MS) {
      this.#value = await readAccessMark(this.#store.db);
      this.#trace = trace;
      this.#askedAt = now;
    }
    return this.#value;
  }
}
