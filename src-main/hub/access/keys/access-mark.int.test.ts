import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../base/clock.ts';
import { Store } from '../../storage/store.ts';
import { openTestStore, testStores } from '../../storage/testing/test-stores.ts';
import { AccessMark, noteAccessChange } from './access-mark.ts';

describe.each(testStores)('a reader of the access mark on $name', (kind) => {
  const clock = new ManualClock();
  let trace: string | undefined;
  let store: Store;
  let end: () => Promise<void>;
  let mark: AccessMark;

  beforeEach(async () => {
    const opened = await openTestStore(kind);
    ({ end } = opened);
    trace = 'one';
    store = new Store(opened.store, opened.store.db, () => trace);
    mark = new AccessMark(store, clock);
  });

  afterEach(() => end());

  const change = (): Promise<void> => store.transaction((tx) => noteAccessChange(tx));

  it('queries the store when something was stored, or when that is unknown', async () => {
    expect(await mark.look()).toBe(0);
    await change();
    expect(await mark.look()).toBe(0);
    trace = 'two';
    expect(await mark.look()).toBe(1);
    trace = undefined;
    await change();
    expect(await mark.look()).toBe(2);
    await change();
    expect(await mark.look()).toBe(3);
  });

  it('queries the store every five seconds even if the trace is the same: a disk may show changes late', async () => {
    expect(await mark.look()).toBe(0);
    await change();
    clock.advance(4_999);
    expect(await mark.look()).toBe(0);
    clock.advance(1);
    expect(await mark.look()).toBe(1);
  });
});
