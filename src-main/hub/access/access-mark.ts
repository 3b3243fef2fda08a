import { readSetting } from '../storage/settings.ts';
import type { Store } from '../storage/store.ts';
import type { Queries, WriteTransaction } from '../storage/tables.ts';

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

/** Follows the number for one reader: while nothing at all is stored, looking again asks the store nothing. */
export class AccessMark {
  readonly #store: Store;
  #trace: string | undefined;
  #value = -1;

  constructor(store: Store) {
    this.#store = store;
  }

  async look(): Promise<number> {
    // Before the number: a change in between is seen the next time.
    const trace = this.#store.trace();
    if (trace === undefined || trace !== this.#trace) this.#value = await readAccessMark(this.#store.db);
    this.#trace = trace;
    return this.#value;
  }
}
