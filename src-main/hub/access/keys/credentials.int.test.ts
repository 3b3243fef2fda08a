import { describe, expect, it, onTestFinished } from 'vitest';
import { ManualClock } from '../../../base/clock.ts';
import { silentLogger } from '../../../base/logger.ts';
import { Store } from '../../storage/store.ts';
import { openTestStore, testStores } from '../../storage/testing/test-stores.ts';
import { noteAccessChange } from './access-mark.ts';
import { Credentials } from './credentials.ts';

describe.each(testStores)('credentials on $name', (kind) => {
  it('a thousand attempts with a wrong key cause two reads, and each read starts after its attempts', async () => {
    const { store, end } = await openTestStore(kind);
    onTestFinished(end);
    let reads = 0;
    const counting = new Proxy(store.db, {
      get(db, property) {
        if (property === 'selectFrom') reads++;
        const value: unknown = Reflect.get(db, property);
        return typeof value === 'function' ? (value.bind(db) as unknown) : value;
      },
    });
    const credentials = new Credentials(new Store(store, counting, () => undefined), new ManualClock(), silentLogger);
    await credentials.start();
    onTestFinished(() => credentials.stop());
    reads = 0;
    await Promise.all(Array.from({ length: 1_000 }, () => credentials.follow()));
    expect(reads).toBe(2);

    const first = credentials.follow();
    await store.transaction((tx) => noteAccessChange(tx));
    reads = 0;
    await Promise.all([first, credentials.follow()]);
    // Reads the mark and, because it has changed, all credentials.
    expect(reads).toBeGreaterThan(2);
  });
});
